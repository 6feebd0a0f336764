// client.js ENDPOINT FOLDER USER PASSWORD SECONDS: logs in with signing and encryption, prints what
// it reads, and then each alarm that it hears and acknowledges, one JSON object a line.
const {
  AttributeIds, constructEventFilter, DataType, makeBrowsePath, MessageSecurityMode, OPCUAClient,
  resolveNodeId, SecurityPolicy, TimestampsToReturn, UserTokenType,
} = require('node-opcua-client');

const { OPCUACertificateManager } = require('node-opcua-certificate-manager');

const [endpoint, folder, userName, password, seconds] = process.argv.slice(2);
const tell = (line) => process.stdout.write(JSON.stringify(line) + '\n');
const ALARM = 'ns=2;s=Machines/pump-3/Alarm';
const FIELDS = [
  'EventId', 'SourceName', 'Severity', 'Message', 'Retain', 'ActiveState.Id', 'AckedState.Id',
  'ConditionName',
];

async function main() {
  const certificates = new OPCUACertificateManager({
    rootFolder: folder,
    automaticallyAcceptUnknownCertificate: true,
  });
  const client = OPCUAClient.create({
    applicationName: 'foreign',
    endpointMustExist: false,
    securityMode: MessageSecurityMode.SignAndEncrypt,
    securityPolicy: SecurityPolicy.Basic256Sha256,
    clientCertificateManager: certificates,
    connectionStrategy: { maxRetry: 0 },
  });
  await client.connect(endpoint);
  const session = await client.createSession({ type: UserTokenType.UserName, userName, password });

  const browsed = await session.browse('ns=2;s=Machines');
  tell({ machines: browsed.references.map((r) => r.displayName.text) });
  for (const path of ['Verdict/Condition', 'Points/DE/Levels/velocity_rms', 'Points/DE/Load']) {
    const nodeId = `ns=2;s=Machines/pump-3/${path}`;
    const value = await session.read({ nodeId, attributeId: AttributeIds.Value });
    tell({ path, value: value.value.value ?? null, status: value.statusCode.name });
  }
  const level = 'ns=2;s=Machines/pump-3/Points/DE/Levels/velocity_rms';
  const [unit, range] = await session.read(
    ['EngineeringUnits', 'EURange'].map((name) => ({
      nodeId: `${level}/${name}`, attributeId: AttributeIds.Value,
    })),
  );
  tell({ unit: unit.value.value.displayName.text, id: unit.value.value.unitId,
         low: range.value.value.low, high: range.value.value.high });

  const subscription = await session.createSubscription2({
    requestedPublishingInterval: 100, publishingEnabled: true, requestedLifetimeCount: 100,
    requestedMaxKeepAliveCount: 10, maxNotificationsPerPublish: 0, priority: 1,
  });
  const alarms = await subscription.monitor(
    { nodeId: resolveNodeId('Server'), attributeId: AttributeIds.EventNotifier },
    { queueSize: 100, filter: constructEventFilter(FIELDS), discardOldest: true },
    TimestampsToReturn.Both,
  );
  alarms.on('changed', async (values) => {
    const event = Object.fromEntries(FIELDS.map((name, i) => [name, values[i].value]));
    tell({ alarm: { ...event, EventId: undefined, Message: event.Message?.text } });
    if (event['ActiveState.Id'] && event['AckedState.Id'] === false) {
      const result = await session.acknowledgeCondition(
        ALARM, event.EventId, 'seen',
      );
      tell({ acknowledged: result.name });
      const [shelving, shelve] = await Promise.all(
        ['/0:ShelvingState', '/0:ShelvingState/0:TimedShelve'].map(async (path) => {
          const found = await session.translateBrowsePath(makeBrowsePath(ALARM, path));
          return found.targets[0].targetId;
        }),
      );
      const called = await session.call({
        objectId: shelving,
        methodId: shelve,
        inputArguments: [{ dataType: DataType.Double, value: 60_000 }],
      });
      tell({ shelved: called.statusCode.name });
    }
  });
  tell({ listening: true });
  await new Promise((resolve) => setTimeout(resolve, Number(seconds) * 1000));
  await session.close();
  await client.disconnect();
}

main().catch((error) => { tell({ error: error.message }); process.exit(1); });
