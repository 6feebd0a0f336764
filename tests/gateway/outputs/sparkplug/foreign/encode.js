// Encodes payloads with the npm package `sparkplug-payload`: each line of input is a JSON array of one
// payload, each line of output its bytes in base64. A value {"bytes": "…"} is bytes in base64.
"use strict";

const { createInterface } = require("node:readline");
const sparkplug = require("sparkplug-payload").get("spBv1.0");

const revive = (_key, value) =>
  value && typeof value.bytes === "string" ? Uint8Array.from(Buffer.from(value.bytes, "base64")) : value;

createInterface({ input: process.stdin }).on("line", (line) => {
  const [payload] = JSON.parse(line, revive);
  const encoded = Buffer.from(sparkplug.encodePayload(payload)).toString("base64");
  console.log(JSON.stringify({ payload: encoded }));
});
