import { setImmediate as turn } from 'node:timers/promises'

const STEP = 2_000

export function pacer(): (work?: number) => Promise<void> | undefined {
  let done = 0
  return (work = 1) => {
    done += work
    if (done < STEP) return undefined
    done = 0
    return turn()
  }
}

export async function sortInSteps<T>(items: readonly T[], compare: (a: T, b: T) => number): Promise<T[]> {
  let runs: T[][] = []
  for (let at = 0; at < items.length; at += STEP) {
    runs.push(items.slice(at, at + STEP).sort(compare))
    await turn()
  }
  while (runs.length > 1) {
    const merged: T[][] = []
    for (let at = 0; at < runs.length; at += 2) {
      const [left = [], right] = [runs[at], runs[at + 1]]
      merged.push(right === undefined ? left : await mergeInSteps(left, right, compare))
    }
    runs = merged
  }
  return runs[0] ?? []
}

async function mergeInSteps<T>(left: readonly T[], right: readonly T[], compare: (a: T, b: T) => number): Promise<T[]> {
  const merged: T[] = []
  const pause = pacer()
  let i = 0
  let j = 0
  while (i < left.length && j < right.length) {
    const isLeft = compare(left[i] as T, right[j] as T) <= 0
    merged.push((isLeft ? left[i++] : right[j++]) as T)
    const turned = pause()
    if (turned) await turned
  }
  while (i < left.length) merged.push(left[i++] as T)
  while (j < right.length) merged.push(right[j++] as T)
  return merged
}
