import type { Hex } from '@dexfeed/dex'
import type { Session } from './endpoint-pool.ts'
import { explainsBloom } from './logs-bloom.ts'
import { logsOfBlockRequest } from './logs-request.ts'
import { readLogs } from './rpc-log.ts'

/**
 * A bloom that claims our topics may do so by chance: then the block's other logs make all of its bits. A node that
 * cannot show logs that do is not believed, however often it says so.
 *
 * @param doubted blocks of which the node has shown no log with our topics, though their blooms claim some
 */
export async function explainBlooms(
  session: Session,
  doubted: readonly { number: number; hash: Hex; logsBloom: Hex }[],
  topics: readonly Hex[],
): Promise<void> {
  const { results } = await session.ask(doubted.map(({ hash }) => logsOfBlockRequest({ topics: [] }, hash)))
  doubted.forEach(({ number, hash, logsBloom }, i) => {
    const logs = readLogs(results[i], () => {
      throw session.inconsistent('a removed log')
    })
    const own = logs.filter(({ blockHash }) => blockHash === hash)
    const values = own.flatMap(({ address, topics }) => [address, ...topics])
    // Ours among them: the answer without them was the lie.
    const hasOurs = own.some(({ topics: [first] }) => first !== undefined && topics.includes(first))
    if (hasOurs || !explainsBloom(logsBloom, values)) {
      throw session.inconsistent(`no logs of block ${number}, but its bloom has them`)
    }
  })
}
