import { mix } from './mix.ts'

export interface Schedule {
  blocks: number
  /** Returns the rank of each swap's pool, and how many swaps the pool had before it in the cycle. */
  swapsOf(block: number): readonly { rank: number; before: number }[]
  /** Always even, so that a cycle ends with the states it began with. */
  swapsInCycle(rank: number): number
  swapsUntil(rank: number, block: number): number
}

/** Gives each pool two swaps, distributes the others by Zipf's law (rank r has a share of 1 / r), and shuffles them. */
export function makeSchedule(seed: number, pools: number, swapsPerBlock: number, minBlocks: number): Schedule {
  const blocks = Math.max(minBlocks, Math.ceil((3 * pools) / swapsPerBlock))
  const total = blocks * swapsPerBlock
  const spare = Math.floor((total - 2 * pools) / 2)
  let harmonic = 0
  for (let rank = 1; rank <= pools; rank++) harmonic += 1 / rank
  const counts = Array.from({ length: pools }, (_, rank) => 2 + 2 * Math.floor(spare / (rank + 1) / harmonic))
  const dealt = counts.reduce((sum, count) => sum + count, 0)
  // The first pool gets the remainder. If that is odd, one swap has no pool.
  counts[0] = (counts[0] ?? 0) + 2 * Math.floor((total - dealt) / 2)
  const order = Uint32Array.from(counts.flatMap((count, rank) => Array<number>(count).fill(rank)))
  for (let i = order.length - 1; i > 0; i--) {
    const j = mix(seed, 19, i) % (i + 1)
    const kept = order[i] ?? 0
    order[i] = order[j] ?? 0
    order[j] = kept
  }
  const blocksOf = counts.map((): number[] => [])
  const before = new Uint32Array(order.length)
  order.forEach((rank, i) => {
    const blocksOfPool = blocksOf[rank] ?? []
    before[i] = blocksOfPool.length
    blocksOfPool.push(Math.floor(i / swapsPerBlock))
  })
  return {
    blocks,
    swapsOf: (block) =>
      [...order.subarray(block * swapsPerBlock, (block + 1) * swapsPerBlock)].map((rank, i) => {
        return { rank, before: before[block * swapsPerBlock + i] ?? 0 }
      }),
    swapsInCycle: (rank) => counts[rank] ?? 0,
    swapsUntil: (rank, block) => countUpTo(blocksOf[rank] ?? [], block),
  }
}

/** @param numbers ascending */
function countUpTo(numbers: readonly number[], bound: number): number {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((numbers[middle] ?? 0) <= bound) low = middle + 1
    else high = middle
  }
  return low
}
