import { type ContractCall, contractCall } from '../../abi/contract-abi.ts'
import { MAX_UINT256 } from '../../abi/words.ts'
import { type Address, type Hex, ZERO_ADDRESS } from '../../chain.ts'
import { smaller } from '../../maths/integers.ts'
import type { Pool } from '../../pool.ts'
import { formulaState } from '../../pool-state.ts'
import type { EthCall, StateReading, StateSteps } from '../protocol.ts'
import { type PsmState, psmValues } from './quote.ts'

const TIN = contractCall<[bigint]>('function tin() view returns (uint256)')
const TOUT = contractCall<[bigint]>('function tout() view returns (uint256)')
const GEM_JOIN = contractCall<[Address]>('function gemJoin() view returns (address)')
const DAI_JOIN = contractCall<[Address]>('function daiJoin() view returns (address)')
const VAT = contractCall<[Address]>('function vat() view returns (address)')
const ILK = contractCall<[Hex]>('function ilk() view returns (bytes32)')
/** Exists on the LitePSM only: the account that holds the gem. */
const POCKET = contractCall<[Address]>('function pocket() view returns (address)')

const BALANCE_OF = contractCall<[bigint]>('function balanceOf(address) view returns (uint256)')
const ALLOWANCE = contractCall<[bigint]>('function allowance(address, address) view returns (uint256)')

const LIVE = contractCall<[bigint]>('function live() view returns (uint256)')
const WARDS = contractCall<[bigint]>('function wards(address) view returns (uint256)')
const ILKS = contractCall<[bigint, bigint, bigint, bigint, bigint]>(
  'function ilks(bytes32) view returns (uint256, uint256, uint256, uint256, uint256)',
)
const URNS = contractCall<[bigint, bigint]>('function urns(bytes32, address) view returns (uint256, uint256)')
const DEBT = contractCall<[bigint]>('function debt() view returns (uint256)')
const LINE = contractCall<[bigint]>('function Line() view returns (uint256)')

const RAY = 10n ** 27n
/** The gem has 6 decimals. */
const DAI_PER_GEM = 10n ** 12n

/**
 * A state is valid only briefly, because limits depend on other contracts, such as the debt of all vaults and the
 * accounts that hold the gem.
 */
export const PSM_STATE: StateReading = { steps: readPsm, isReadAgain: true, ticks: null }

type Limits = Pick<PsmState, 'ceiling' | 'cash' | 'gems'>
type LimitSteps = Generator<readonly EthCall[], Limits | null, readonly (Hex | null)[]>

function* readPsm(pool: Pool, timestamp: number): StateSteps {
  const calls = [TIN, TOUT, GEM_JOIN, DAI_JOIN, VAT, ILK, POCKET] as const
  const [tinReply, toutReply, gemJoinReply, daiJoinReply, vatReply, ilkReply, pocketReply] = yield calls.map((call) => {
    return { to: pool.address, data: call.data() }
  })
  const tin = firstValue(TIN, tinReply)
  const tout = firstValue(TOUT, toutReply)
  const gemJoin = firstValue(GEM_JOIN, gemJoinReply)
  const daiJoin = firstValue(DAI_JOIN, daiJoinReply)
  const vat = firstValue(VAT, vatReply)
  const ilk = firstValue(ILK, ilkReply)
  const pocket = firstValue(POCKET, pocketReply)
  if (tin === null || tout === null || !gemJoin || !daiJoin || !vat || !ilk) return null
  const limits: Limits | null = pocket
    ? yield* readLite(pool, pocket)
    : yield* readVault(pool, { gemJoin, daiJoin, vat, ilk })
  if (limits === null) return null
  return formulaState('psm', psmValues({ daiPerGem: DAI_PER_GEM, tin, tout, ...limits }), timestamp)
}

function* readLite({ address, token0: gem, token1: dai }: Pool, pocket: Address): LimitSteps {
  const replies = yield [
    { to: dai, data: BALANCE_OF.data(address) },
    { to: gem, data: BALANCE_OF.data(pocket) },
    { to: gem, data: ALLOWANCE.data(pocket, address) },
  ]
  const [cash, held, allowed] = [BALANCE_OF, BALANCE_OF, ALLOWANCE].map((call, index) =>
    firstValue(call, replies[index]),
  )
  if (cash == null || held == null || allowed == null) return null
  return { ceiling: MAX_UINT256, cash, gems: held < allowed ? held : allowed }
}

interface VaultContracts {
  gemJoin: Address
  daiJoin: Address
  vat: Address
  ilk: Hex
}

/** The older PSM draws and repays its vault's debt (Vat.frob) against the gem. */
function* readVault(pool: Pool, { gemJoin, daiJoin, vat, ilk }: VaultContracts): LimitSteps {
  const [ilkReply, urnReply, ...replies] = yield [
    { to: vat, data: ILKS.data(ilk) },
    { to: vat, data: URNS.data(ilk, pool.address) },
    { to: vat, data: DEBT.data() },
    { to: vat, data: LINE.data() },
    { to: vat, data: LIVE.data() },
    { to: vat, data: WARDS.data(gemJoin) },
    { to: gemJoin, data: LIVE.data() },
    { to: gemJoin, data: WARDS.data(pool.address) },
    { to: daiJoin, data: LIVE.data() },
    { to: pool.token0, data: BALANCE_OF.data(gemJoin) },
  ]
  const [debt, allLine, live, joins, takes, sells, draws, held] = replies.map((reply) => firstValue(DEBT, reply))
  const ilkState = ILKS.read(ilkReply)
  const urn = URNS.read(urnReply)
  if (ilkState === null || urn === null || debt == null || allLine == null || held == null) return null
  const [ilkDebt, rate, spot, line, dust] = ilkState
  const [ink, art] = urn
  // A vault with another rate, price or minimum debt follows rules that no PSM has.
  const isPlain = rate === RAY && spot === RAY && dust === 0n && ink >= art
  if (!isPlain || live !== 1n || joins !== 1n || gemJoin === ZERO_ADDRESS) return null
  const canSell = takes === 1n && sells === 1n && draws === 1n
  const left = smaller(line - ilkDebt * RAY, allLine - debt) / RAY
  const repaid = smaller(art, ilkDebt) / DAI_PER_GEM
  return {
    ceiling: canSell && left > 0n ? left : 0n,
    cash: MAX_UINT256,
    gems: smaller(held, repaid),
  }
}

function firstValue<Value extends bigint | Hex>(
  call: ContractCall<[Value]>,
  reply: Hex | null | undefined,
): Value | null {
  return call.read(reply)?.[0] ?? null
}
