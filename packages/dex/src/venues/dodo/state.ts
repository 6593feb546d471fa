import { contractCall } from '../../abi/contract-abi.ts'
import { hasWords, uintWord } from '../../abi/words.ts'
import { type Address, type Hex, ZERO_ADDRESS } from '../../chain.ts'
import type { Pool } from '../../pool.ts'
import type { NotQuoted } from '../../pool-state.ts'
import { type ContractQuote, candidate, checkedState } from '../checked-state.ts'
import { areKnownRates } from '../known-code.ts'
import type { CallResults, EthCall, StateReading, StateSteps } from '../protocol.ts'
import { DODO_VERSION, dodo, dodoValues } from './quote.ts'

const STATE = contractCall<[bigint, bigint, bigint, bigint, bigint, bigint, bigint]>(
  'function getPMMStateForCall() view returns (uint256 i, uint256 K, uint256 B, uint256 Q, uint256 B0, uint256 Q0, uint256 R)',
)
const FEES = contractCall<[bigint, bigint]>('function getUserFeeRate(address user) view returns (uint256, uint256)')
const STORED_R = contractCall<[bigint]>('function _RState_() view returns (uint32)')
const OWN_FEE = contractCall<[bigint]>('function _MT_FEE_RATE_() view returns (uint256)')
const ORACLE = contractCall<[Address]>('function _O_() view returns (address)')
const OWNER = contractCall<[Address]>('function _OWNER_() view returns (address)')
const SELL_BASE = contractCall('function querySellBase(address trader, uint256 payBaseAmount) view returns (uint256)')
const SELL_QUOTE = contractCall(
  'function querySellQuote(address trader, uint256 payQuoteAmount) view returns (uint256)',
)

/** If the fee model charges these traders differently, the pool is not quoted. */
const TRADERS: readonly Address[] = [ZERO_ADDRESS, `0x${'00'.repeat(19)}01`, `0x${'d0'.repeat(20)}`]

export const DODO_STATE: StateReading = { steps: readDodo, unknown: readUnknown, isReadAgain: true, ticks: null }

/** The owner of a private pool may choose its oracle, so the oracle must be a known one. */
function* readUnknown({ address: to, dex }: Pool): Generator<readonly EthCall[], NotQuoted | null, CallResults> {
  const [oracle] = yield [{ to, data: ORACLE.data() }]
  return areKnownRates(dex, ORACLE.read(oracle) ?? []) ? null : 'unknown-rate'
}

function* readDodo({ address: pool }: Pool, timestamp: number): StateSteps {
  const [stateReply, storedR, ownFee, owner, ...feeReplies] = yield [
    ...[STATE, STORED_R, OWN_FEE, OWNER].map((call) => ({ to: pool, data: call.data() })),
    ...TRADERS.map((trader) => ({ to: pool, data: FEES.data(trader) })),
  ]
  const state = STATE.read(stateReply)
  const [fees, ...others] = feeReplies.map((reply) => FEES.read(reply))
  if (state === null || !fees || others.some((other) => String(other) !== String(fees))) return null
  const [i, k, b, q, b0, q0, r] = state
  const isStored = STORED_R.read(storedR) !== null
  const stored = OWN_FEE.read(ownFee) === null ? DODO_VERSION.stored : DODO_VERSION.checked
  const version = isStored ? stored : DODO_VERSION.dvm
  const values = dodoValues({ i, k, b, q, b0, q0, r, lpFee: fees[0], mtFee: fees[1], version })
  // The owner or oracle of a private pool sets its price without an event.
  const movesFrom = OWNER.read(owner) === null ? null : timestamp
  return yield* checkedState(candidate(dodo, values, movesFrom), queryOf(pool))
}

/** Quotes with the pool's own functions; private and stable pools return two more words. */
function queryOf(pool: Address): ContractQuote {
  return {
    call: (from, _to, amountIn) => ({
      to: pool,
      data: (from === 0 ? SELL_BASE : SELL_QUOTE).data(ZERO_ADDRESS, amountIn),
    }),
    read: (reply: Hex) => (hasWords(reply, 2) || hasWords(reply, 4) ? uintWord(reply, 0) : null),
  }
}
