import { present } from '../../present.ts'

/** Inputs are divided into this many steps. */
export const STEPS = 16

export interface SetOfRoutes {
  members: readonly number[]
  /** The output, minus what additional members must gain. */
  value: number
}

/**
 * Returns up to `count` sets of routes with the greatest outputs, in descending order. Uses floating point and coarse
 * steps, only to choose the sets that are then shared out exactly.
 *
 * @param outputs by route and input steps; -Infinity if the route does not accept the input
 */
export function promisingSets(
  outputs: readonly (readonly number[])[],
  conflicts: (route: number, other: number) => boolean,
  { maxMembers, count, minGain }: { maxMembers: number; count: number; minGain: number },
): SetOfRoutes[] {
  const best: SetOfRoutes[] = []
  const keep = (members: readonly number[], output: number) => {
    const value = output * (1 - minGain * (members.length - 1))
    const last = best[count - 1]
    if (members.length < 2 || !(value > (last === undefined ? 0 : last.value))) return
    const index = best.findIndex((other) => value > other.value)
    best.splice(index < 0 ? best.length : index, 0, { members, value })
    best.length = Math.min(best.length, count)
  }
  const extend = (members: readonly number[], sums: readonly number[], from: number) => {
    for (let route = from; route < outputs.length; route++) {
      if (members.some((member) => conflicts(member, route))) continue
      const next = members.length === 0 ? present(outputs[route]) : together(sums, present(outputs[route]))
      const extended = [...members, route]
      keep(extended, present(next[STEPS]))
      if (extended.length < maxMembers) extend(extended, next, route + 1)
    }
  }
  extend([], [], 0)
  return best
}

function together(each: readonly number[], other: readonly number[]): number[] {
  const sums = new Array<number>(STEPS + 1).fill(Number.NEGATIVE_INFINITY)
  for (let a = 0; a <= STEPS; a++) {
    for (let b = 0; a + b <= STEPS; b++) {
      const sum = (each[a] as number) + (other[b] as number)
      if (sum > (sums[a + b] as number)) sums[a + b] = sum
    }
  }
  return sums
}
