import { mix } from './mix.ts'

/** Which pool swaps in which block of a cycle. */
export interface Schedule {
  /** Blocks of the cycle. */
  blocks: number
  /** The swaps of a block, in their order: the pool's rank, and how many swaps of it came before in the cycle. */
  swapsOf(block: number): readonly { rank: number; before: number }[]
  /** Swaps of a pool in a whole cycle: even, so that it ends where it began. */
  swapsInCycle(rank: number): number
  /** Swaps of a pool in the cycle up to the end of a block. */
  swapsUntil(rank: number, block: number): number
}

/**
 * Assigns the swaps of a cycle to the pools: two to each, the rest by Zipf's law (the pool of rank r has a share of 1 /
 * r), in an order that the seed decides.
 */
export function makeSchedule(seed: number, pools: number, swapsPerBlock: number, minBlocks: number): Schedule {
  const blocks = Math.max(minBlocks, Math.ceil((3 * pools) / swapsPerBlock))
  const total = blocks * swapsPerBlock
  const spare = Math.floor((total - 2 * pools) / 2)
  let harmonic = 0
  for (let rank = 1; rank <= pools; rank++) harmonic += 1 / rank
  const counts = Array.from({ length: pools }, (_, rank) => 2 + 2 * Math.floor(spare / (rank + 1) / harmonic))
  const dealt = counts.reduce((sum, count) => sum + count, 0)
  // The remainder of rounding, except an odd one at the end of the cycle, which no pool gets.
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
    const own = blocksOf[rank] ?? []
    before[i] = own.length
    own.push(Math.floor(i / swapsPerBlock))
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

/** Counts the ascending numbers up to a bound. */
function countUpTo(numbers: readonly number[], bound: number): number {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((numbers[middle] ?? 0) <= bound) low = middle + 1
    else high = middle
  }
  return low
}
