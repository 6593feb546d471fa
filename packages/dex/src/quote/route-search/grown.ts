/** A longer copy of a column, with room for an index; what is new holds `rest`. */
export function grown<T extends Int32Array | Float64Array | Uint8Array>(column: T, index: number, rest = 0): T {
  const size = Math.max(2 * column.length, index + 1)
  const longer = new (column.constructor as new (size: number) => T)(size)
  longer.set(column)
  if (rest !== 0) longer.fill(rest, column.length)
  return longer
}
