/** Words of feature names that are written in capitals. */
const ACRONYMS = new Set(['rms', 'bpfo', 'bpfi', 'bsf', 'ftf', 'dba']);

/**
 * A feature's name as people read it: without its unit, which stands beside the number, and with
 * the frequencies of bands as quantities. The name itself stays the one of docs/features.md.
 */
export function featureName(feature: string, unit = ''): string {
  const suffix = `_${unit.replace('/', '_').replace('²', '2').toLowerCase()}`;
  const bare = unit && feature.endsWith(suffix) ? feature.slice(0, -suffix.length) : feature;
  return bare
    .split('_')
    .map((word) => {
      if (ACRONYMS.has(word)) return word.toUpperCase();
      return word.replace(/^(\d+(?:\.\d+)?k?)hz$/, '$1\u202fHz').replace(/k\u202fHz$/, '\u202fkHz');
    })
    .join(' ');
}
