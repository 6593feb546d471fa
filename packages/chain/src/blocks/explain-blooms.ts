import type { Hex } from '@dexfeed/dex'
import type { Session } from '../endpoints/endpoint-pool.ts'
import { type LogFilter, logsOfBlockRequest } from '../json-rpc/requests.ts'
import { readLogs } from '../json-rpc/rpc-log.ts'
import { explainsBloom } from './logs-bloom.ts'

/**
 * A bloom that claims logs of ours may do so by chance: then the block's other logs make all of its bits. A node that
 * cannot show logs that do is not believed, however often it says so.
 *
 * @param doubted blocks of which the node has shown no log of the filter, though their blooms claim some
 */
export async function explainBlooms(
  session: Session,
  doubted: readonly { number: number; hash: Hex; logsBloom: Hex }[],
  { topics, addresses = [] }: LogFilter,
): Promise<void> {
  const { results } = await session.ask(doubted.map(({ hash }) => logsOfBlockRequest({ topics: [] }, hash)))
  doubted.forEach(({ number, hash, logsBloom }, i) => {
    const logs = readLogs(results[i], () => {
      throw session.inconsistent('a removed log')
    })
    const own = logs.filter(({ blockHash }) => blockHash === hash)
    const values = own.flatMap(({ address, topics }) => [address, ...topics])
    // Ours among them: the answer without them was the lie.
    const hasOurs = own.some(
      ({ address, topics: [first] }) =>
        (topics.length === 0 || (first !== undefined && topics.includes(first))) &&
        (addresses.length === 0 || addresses.includes(address)),
    )
    if (hasOurs || !explainsBloom(logsBloom, values)) {
      throw session.inconsistent(`no logs of block ${number}, but its bloom has them`)
    }
  })
}
