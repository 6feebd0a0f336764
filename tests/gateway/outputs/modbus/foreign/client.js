// client.js PORT UNIT: reads the map with modbus-serial and prints it, one JSON object a line.
const ModbusRTU = require('modbus-serial');

const [port, unit] = process.argv.slice(2).map(Number);
const tell = (line) => process.stdout.write(JSON.stringify(line) + '\n');

async function attempt(name, call) {
  try {
    await call();
    tell({ allowed: name });
  } catch (error) {
    tell({ denied: name, code: error.modbusCode });
  }
}

async function main() {
  const client = new ModbusRTU();
  await client.connectTCP('127.0.0.1', { port });
  client.setID(unit);
  client.setTimeout(5000);
  const holding = await client.readHoldingRegisters(0, 22);
  const input = await client.readInputRegisters(0, 22);
  tell({ head: holding.data, same: holding.data.slice(2).join() === input.data.slice(2).join() });
  const machine = await client.readInputRegisters(100, 20);
  tell({ machine: machine.data, evidence: machine.buffer.readFloatBE(8),
         warning: machine.buffer.readFloatBE(12), at_s: machine.buffer.readUInt32BE(20) });
  const point = await client.readInputRegisters(20000, 40);
  tell({ point: point.data, speed: point.buffer.readFloatBE(28), load: point.buffer.readFloatBE(32),
         velocity: point.buffer.readFloatBE(36) });
  const last = await client.readInputRegisters(20119, 1);
  tell({ last: last.data });
  for (const address of [180, 1000, 20119, 30000, 65500, 65535])
    await attempt(`past the end ${address}`, () => client.readInputRegisters(address, 2));
  await attempt('write', () => client.writeRegister(100, 1));
  await attempt('write many', () => client.writeRegisters(100, [1, 2]));
  await attempt('coils', () => client.readCoils(0, 1));
  await attempt('write coil', () => client.writeCoil(0, true));
  client.setID(unit + 1);
  client.setTimeout(500);
  await attempt('another unit', () => client.readInputRegisters(0, 1));
  tell({ done: true });
  client.close(() => process.exit(0));
}

main().catch((error) => { tell({ error: error.message }); process.exit(1); });
