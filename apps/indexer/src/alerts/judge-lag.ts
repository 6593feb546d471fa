import { SECOND } from '@dexfeed/dex'
import type { IndexerStore } from '@dexfeed/store'
import { alertChange, keyOf } from './alert-change.ts'
import type { RuleIndex } from './rule-index.ts'

/** Fires the rules on how far the network is behind, and clears them. Any process may do so at any time. */
export async function judgeLag(
  store: Pick<IndexerStore, 'networkRow' | 'firedAlerts' | 'storeAlerts'>,
  index: RuleIndex,
  nowMs: number,
): Promise<void> {
  const rules = index.rules.filter((rule) => rule.kind === 'behind')
  const head = rules.length === 0 ? null : ((await store.networkRow())?.head ?? null)
  if (head === null) return
  const seconds = Math.floor(nowMs / SECOND) - head.timestamp
  const isFired = await store.firedAlerts(rules.map(keyOf))
  const changed = rules.filter((rule) => isFired(keyOf(rule)) !== seconds > rule.seconds)
  if (changed.length === 0) return
  const changes = changed.map((rule) => {
    const status = seconds > rule.seconds ? 'fired' : 'cleared'
    return alertChange({ rule, status, block: head, facts: { seconds_behind: seconds }, staysInReorg: true })
  })
  await store.storeAlerts(changes)
}
