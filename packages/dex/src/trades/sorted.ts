/** The first place of a sorted list from which on a condition holds; the length where it holds at none. */
export function firstWhere(length: number, holds: (place: number) => boolean): number {
  let [first, end] = [0, length]
  while (first < end) {
    const middle = (first + end) >> 1
    if (holds(middle)) end = middle
    else first = middle + 1
  }
  return first
}
