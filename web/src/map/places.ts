/** Where a machine is on the map, as shares of its width and height. */
export interface Place {
  x: number;
  y: number;
}

/** A marker's middle stays this far within the edge, so that its name can be read. */
const EDGE = 0.02;

/** A place on the map, in thousandths, as it is stored. */
export const within = ({ x, y }: Place): Place => ({ x: bounded(x), y: bounded(y) });

const bounded = (share: number) =>
  Math.round(1000 * Math.min(1 - EDGE, Math.max(EDGE, share))) / 1000;

const STEP = 0.02;
const SMALL_STEP = 0.004;
const MOVES: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** Where an arrow key moves a machine; null for another key. */
export function moved({ x, y }: Place, key: string, small: boolean): Place | null {
  const move = MOVES[key];
  if (!move) return null;
  const step = small ? SMALL_STEP : STEP;
  return within({ x: x + step * move[0], y: y + step * move[1] });
}

/** Columns of a plain grid: wider than high, as a hall is. */
const columnsOf = (count: number) => Math.max(1, Math.ceil(Math.sqrt(1.6 * count)));

/** Places on a plain grid for machines that were given none: each area begins a row, below its name. */
export function onGrid(areas: readonly number[]): {
  names: number[];
  places: Place[];
  rows: number;
} {
  const columns = columnsOf(areas.reduce((sum, count) => sum + count, 0));
  const named = areas.length > 1 ? 1 : 0;
  const names: number[] = [];
  const cells: { column: number; row: number }[] = [];
  let rows = 0;
  for (const count of areas) {
    names.push(rows);
    for (let i = 0; i < count; i++)
      cells.push({ column: i % columns, row: rows + named + Math.floor(i / columns) });
    rows += named + Math.ceil(count / columns);
  }
  return {
    names: named ? names.map((row) => (row + 0.5) / rows) : [],
    places: cells.map(({ column, row }) =>
      within({ x: (column + 0.5) / columns, y: (row + 0.5) / rows }),
    ),
    rows,
  };
}

/** A marker with its name, and one of a finger's size without it, px. */
const NAMED = { width: 132, height: 46 };
const BARE_WIDTH = 48;
const LEAST_WIDTH = 680;

/** Least width and height of a map, so that the markers of a plain grid keep apart, px. */
export const leastWidth = (onGrid: number): number =>
  Math.max(LEAST_WIDTH, BARE_WIDTH * columnsOf(onGrid));
export const leastHeight = (rows: number): number => BARE_WIDTH * rows;

/** Which markers have room for their names on a map of this size, px. */
export function withRoom(places: readonly Place[], width: number, height: number): boolean[] {
  return places.map((one, i) =>
    places.every(
      (other, j) =>
        i === j ||
        Math.abs(one.x - other.x) * width >= NAMED.width ||
        Math.abs(one.y - other.y) * height >= NAMED.height,
    ),
  );
}
