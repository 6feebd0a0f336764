// Decodes payloads (one base64 line each) with the npm package `sparkplug-payload` and prints each
// as one line of JSON. Long integers become decimal strings, bytes become base64.
"use strict";

const { createInterface } = require("node:readline");
const sparkplug = require("sparkplug-payload").get("spBv1.0");

const plain = (_key, value) =>
  typeof value === "bigint" || (value && value.constructor && value.constructor.name === "Long")
    ? { long: value.toString() }
    : value;

createInterface({ input: process.stdin }).on("line", (line) => {
  const payload = sparkplug.decodePayload(Buffer.from(line, "base64"));
  console.log(JSON.stringify(payload, plain));
});
