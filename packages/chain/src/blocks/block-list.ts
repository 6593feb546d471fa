import type { Block } from '@dexfeed/dex'
import type { Session } from '../endpoints/session.ts'

/** @throws ChainInconsistent where blocks of one endpoint that follow each other do not build on each other */
export function checkLinks(session: Session, blocks: readonly Block[]): void {
  blocks.forEach((block, i) => {
    const parent = blocks[i - 1]
    if (parent && block.parentHash !== parent.hash) {
      throw session.inconsistent(`block ${block.number} does not build on block ${parent.number}`)
    }
  })
}

/** All blocks of a range without those that have no logs, but for the first and the last one. */
export function withoutQuiet(blocks: readonly Block[]): Block[] {
  return blocks.filter(({ logs }, i) => logs.length > 0 || i === 0 || i === blocks.length - 1)
}
