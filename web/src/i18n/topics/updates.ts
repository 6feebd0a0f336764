import { ofLanguage } from '../i18n.svelte';

/** Staged updates of gateways. */
const en = {
  intro:
    'A version reaches the gateways in stages. Each gateway verifies the signature of the release and returns to its version by itself if the new one is not healthy. A rollout stops at the first gateway that fails.',
  closed:
    'This dashboard offers no updates yet. Set [dashboard.updates] in its configuration, then add a bundle with "auscult updates add".',
  bundles: 'Stored bundles',
  noBundles: 'No bundle is stored. On the server: auscult updates add FILE --key release.pub',
  version: 'Version',
  platform: 'Processor and Python',
  size: 'Size',
  added: 'Added',
  begin: 'New rollout',
  which: 'Gateways',
  allSites: 'All sites',
  siteOf: (site: string) => `Site ${site}`,
  stages: 'Stages',
  stagesHint:
    'How many gateways are updated after each stage: a number or a share, as 1, 10%, 100%',
  wait: 'Wait between stages, h',
  timeout: 'Limit of a stage, h',
  plan: (parts: string[]) => `Gateways in each stage: ${parts.join(' + ')}`,
  badStages: 'Write each stage as a number or a share: 1, 10%, 100%',
  none: 'No gateway of this choice accepts updates (its [gateway.updates] is not set).',
  missing: (platforms: string) => `There is no bundle of this version for ${platforms}.`,
  start: 'Start…',
  startAsk: (version: string, n: number) =>
    `Start the update of ${String(n)} ${n === 1 ? 'gateway' : 'gateways'} to version ${version}?`,
  startYes: 'Start the rollout',
  pause: 'Pause',
  pauseAsk: 'Pause the rollout? An installation that has begun ends by itself.',
  pauseYes: 'Pause the rollout',
  resume: 'Continue',
  resumeAsk: 'Continue the rollout? Gateways that failed are left out.',
  resumeYes: 'Continue without failed gateways',
  abort: 'Abort',
  abortAsk: 'Abort the rollout for all gateways that wait? Installed versions stay.',
  abortYes: 'Abort the rollout',
  rollouts: 'Rollouts',
  noRollouts: 'There was no rollout yet.',
  paused: 'paused',
  states: { running: 'running', stopped: 'stopped', cancelled: 'aborted', done: 'done' },
  progress: (done: number, of: number) => `${String(done)} of ${String(of)} gateways updated`,
  by: 'Started by',
  stage: (n: number) => `Stage ${String(n)}`,
  gateway: 'Gateway',
  state: 'State',
  steps: {
    waiting: 'waiting',
    offered: 'offered',
    downloading: 'downloading',
    verifying: 'verifying',
    installing: 'installing',
    installed: 'installed, health not confirmed',
    healthy: 'healthy',
    rolling_back: 'rolling back',
    rolled_back: 'rolled back',
    rejected: 'rejected',
    failed: 'failed',
    skipped: 'left out',
  },
  remedy: 'What to do',
  remedies: {
    rolled_back:
      'The gateway runs its version before, with its data. Correct the cause, then continue without it, or abort and begin a new rollout.',
    rejected:
      'Nothing was changed on the gateway. Correct the cause (often the release key or the bundle), then continue without it, or abort and begin a new rollout.',
    failed:
      'The gateway needs a person: on the box run "sudo /opt/auscult/auscult-install rollback" and read /opt/auscult/update.json.',
    late: 'The gateway gave no result. Check its power, its network and that it reaches this dashboard; then continue without it.',
  },
};

const de: typeof en = {
  intro:
    'Eine Version erreicht die Gateways in Stufen. Jedes Gateway prüft die Signatur der Version und kehrt selbst zu seiner Version zurück, wenn die neue nicht gesund ist. Ein Rollout hält beim ersten Gateway an, bei dem es scheitert.',
  closed:
    'Dieses Dashboard bietet noch keine Updates an. [dashboard.updates] in seiner Konfiguration setzen, dann mit „auscult updates add“ ein Bundle ablegen.',
  bundles: 'Abgelegte Bundles',
  noBundles: 'Kein Bundle ist abgelegt. Auf dem Server: auscult updates add FILE --key release.pub',
  version: 'Version',
  platform: 'Prozessor und Python',
  size: 'Größe',
  added: 'Abgelegt',
  begin: 'Neuer Rollout',
  which: 'Gateways',
  allSites: 'Alle Standorte',
  siteOf: (site) => `Standort ${site}`,
  stages: 'Stufen',
  stagesHint:
    'Wie viele Gateways nach jeder Stufe aktualisiert sind: eine Zahl oder ein Anteil, etwa 1, 10%, 100%',
  wait: 'Pause zwischen Stufen, h',
  timeout: 'Frist einer Stufe, h',
  plan: (parts) => `Gateways je Stufe: ${parts.join(' + ')}`,
  badStages: 'Jede Stufe als Zahl oder Anteil schreiben: 1, 10%, 100%',
  none: 'Kein Gateway dieser Auswahl nimmt Updates an ([gateway.updates] ist nicht gesetzt).',
  missing: (platforms) => `Für ${platforms} gibt es kein Bundle dieser Version.`,
  start: 'Starten…',
  startAsk: (version, n) =>
    `${String(n)} ${n === 1 ? 'Gateway' : 'Gateways'} auf Version ${version} aktualisieren?`,
  startYes: 'Rollout starten',
  pause: 'Pausieren',
  pauseAsk: 'Den Rollout pausieren? Eine begonnene Installation endet von selbst.',
  pauseYes: 'Rollout pausieren',
  resume: 'Fortsetzen',
  resumeAsk: 'Den Rollout fortsetzen? Gescheiterte Gateways bleiben aus.',
  resumeYes: 'Ohne gescheiterte Gateways fortsetzen',
  abort: 'Beenden',
  abortAsk: 'Den Rollout für alle wartenden Gateways beenden? Installierte Versionen bleiben.',
  abortYes: 'Rollout beenden',
  rollouts: 'Rollouts',
  noRollouts: 'Es gab noch keinen Rollout.',
  paused: 'pausiert',
  states: {
    running: 'läuft',
    stopped: 'angehalten',
    cancelled: 'vorzeitig beendet',
    done: 'fertig',
  },
  progress: (done, of) => `${String(done)} von ${String(of)} Gateways aktualisiert`,
  by: 'Gestartet von',
  stage: (n) => `Stufe ${String(n)}`,
  gateway: 'Gateway',
  state: 'Zustand',
  steps: {
    waiting: 'wartet',
    offered: 'angeboten',
    downloading: 'lädt herunter',
    verifying: 'prüft',
    installing: 'installiert',
    installed: 'installiert, Gesundheit nicht bestätigt',
    healthy: 'gesund',
    rolling_back: 'kehrt zurück',
    rolled_back: 'zurückgekehrt',
    rejected: 'abgelehnt',
    failed: 'gescheitert',
    skipped: 'ausgelassen',
  },
  remedy: 'Was zu tun ist',
  remedies: {
    rolled_back:
      'Das Gateway läuft wieder mit seiner vorigen Version und seinen Daten. Die Ursache beheben, dann ohne es fortsetzen, oder den Rollout beenden und einen neuen beginnen.',
    rejected:
      'Auf dem Gateway wurde nichts geändert. Die Ursache beheben (oft der Schlüssel der Version oder das Bundle), dann ohne es fortsetzen, oder den Rollout beenden und einen neuen beginnen.',
    failed:
      'Das Gateway braucht eine Person: dort „sudo /opt/auscult/auscult-install rollback“ ausführen und /opt/auscult/update.json lesen.',
    late: 'Das Gateway gab kein Ergebnis. Strom, Netz und die Verbindung zu diesem Dashboard prüfen; dann ohne es fortsetzen.',
  },
};

export const updatesText = ofLanguage({ en, de });
export type UpdatesText = typeof en;
