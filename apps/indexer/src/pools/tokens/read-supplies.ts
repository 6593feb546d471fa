import { type Address, type Hex, MINUTE, readSupply, SECOND, SUPPLY_CALL, type Token } from '@dexfeed/dex'
import { type LoopContext, repeatLogged } from '../../loops/loop.ts'
import type { ContractCaller } from '../contract-calls.ts'

const EVERY_MS = MINUTE
/** Pause while more tokens than fit into a step were never read. */
const BACKLOG_MS = 5 * SECOND
/** As many calls as fit into one request. */
const TOKENS_PER_STEP = 300

export interface SuppliesOptions extends LoopContext {
  chain: ContractCaller & { head(): Promise<{ hash: Hex }> }
  store: {
    unreadSupplies(limit: number): Promise<readonly Address[]>
    tokensAfter(after: Address | null, limit: number): Promise<readonly Token[]>
    saveSupplies(supplies: ReadonlyMap<Address, bigint | null>): Promise<void>
  }
}

/** Reads the supplies of all tokens again and again, first of those that were never read. */
export async function readSupplies({ chain, store, log, clock }: SuppliesOptions, ended: AbortSignal): Promise<void> {
  let after: Address | null = null
  const step = async () => {
    const unread = await store.unreadSupplies(TOKENS_PER_STEP)
    const room = TOKENS_PER_STEP - unread.length
    const next = room === 0 ? [] : (await store.tokensAfter(after, room)).map(({ address }) => address)
    const tokens = [...new Set([...unread, ...next])]
    if (tokens.length > 0) await store.saveSupplies(await suppliesOf(chain, tokens))
    if (room > 0) after = next.length < room ? null : (next.at(-1) ?? null)
    return room === 0 ? BACKLOG_MS : EVERY_MS
  }
  await repeatLogged({ ended, log, clock, level: 'debug' }, 'could not read supplies of tokens, trying again', step)
}

/** Returns null for tokens that report none, or about which two endpoints disagree at the same block. */
async function suppliesOf(
  chain: SuppliesOptions['chain'],
  tokens: readonly Address[],
): Promise<Map<Address, bigint | null>> {
  const { hash } = await chain.head()
  const calls = tokens.map((to) => ({ to, data: SUPPLY_CALL }))
  const elsewhere = chain.callElsewhere(calls, hash, { priority: 'bulk' })
  // Not awaited if the first endpoint fails.
  elsewhere.catch(() => undefined)
  const replies = await chain.callMany(calls, hash, { priority: 'bulk' })
  const others = (await elsewhere) ?? replies
  return new Map(
    tokens.map((token, index) => {
      const supply = readSupply(replies[index] ?? null)
      return [token, supply === readSupply(others[index] ?? null) ? supply : null]
    }),
  )
}
