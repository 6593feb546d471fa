import type { BlockHeader } from '@dexfeed/dex'
import type { HeadCommit, LiveCommit } from '@dexfeed/store'

/** Returns a follower's commit with these headers, without rows, pools and tokens unless they are given. */
export function headCommit(
  epoch: number,
  blocks: readonly BlockHeader[],
  rows: Partial<HeadCommit> = {},
  live: Partial<LiveCommit> = {},
): HeadCommit {
  const [first, head] = [blocks[0], blocks.at(-1)]
  if (first === undefined || head === undefined) throw new Error('a commit has blocks')
  return {
    from: first.number,
    to: head.number,
    fromTime: first.timestamp,
    toTime: head.timestamp,
    trades: [],
    pools: [],
    tokens: [],
    ...rows,
    live: {
      epoch,
      rollbackTo: null,
      blocks,
      head,
      finalNumber: 0,
      chainHead: head,
      isProven: true,
      poolStates: [],
      tickDeltas: [],
      ...live,
    },
  }
}
