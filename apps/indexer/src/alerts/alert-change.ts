import { createHash } from 'node:crypto'
import { checksumAddress } from '@dexfeed/contract'
import { type BlockHeader, type Hex, isoTime, type PoolAddress } from '@dexfeed/dex'
import type { AlertChange, AlertKey } from '@dexfeed/store'
import type { AlertRule } from './alert-rules.ts'

const ID_BYTES = 16

export interface AlertFacts {
  price_usd?: string
  change_percent?: string
  volume_usd?: string
  liquidity_usd?: string
  seconds_behind?: number
  tx_hash?: Hex
  pool?: PoolAddress
}

interface Cause {
  rule: AlertRule
  status: AlertChange['status']
  block: Pick<BlockHeader, 'number' | 'hash' | 'timestamp'>
  facts: AlertFacts
  /** Distinguishes the alerts of one rule in one block. */
  within?: string
  /** A reorg of the block does not remove the cause. */
  staysInReorg?: boolean
}

export function keyOf({ name, condition }: AlertRule): AlertKey {
  return { rule: name, condition }
}

/** Returns a row with an id that follows from the rule, the block's hash, and the cause within it. */
export function alertChange({ rule, status, block, facts, within = '', staysInReorg = false }: Cause): AlertChange {
  const { name, kind, network, condition, webhooks } = rule
  const { number, hash, timestamp: time } = block
  const { token, pool, window } = { token: undefined, pool: undefined, window: undefined, ...rule }
  const text = JSON.stringify([network, name, condition, hash, within])
  const details = {
    rule: name,
    kind,
    network,
    block_number: String(number),
    block_hash: hash,
    time: isoTime(time),
    token: token === undefined ? null : checksumAddress(token),
    pool: pool ?? null,
    window: window ?? null,
    price_usd: null,
    change_percent: null,
    volume_usd: null,
    liquidity_usd: null,
    seconds_behind: null,
    tx_hash: null,
    ...facts,
  }
  return {
    rule: name,
    condition,
    status,
    time,
    webhooks,
    details: JSON.stringify(details),
    id: `0x${createHash('sha256')
      .update(text)
      .digest('hex')
      .slice(0, 2 * ID_BYTES)}`,
    blockNumber: staysInReorg ? null : number,
  }
}
