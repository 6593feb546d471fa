import type { Hex, Log } from '@dexfeed/dex'
import { type EventFragment, Interface, ZeroHash } from 'ethers'
import { addressOf, idsOf, type Name, type TokenName, type Turn } from './made-world.ts'

const EVENTS = new Interface([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event LogTransfer(address indexed token, address indexed from, address indexed to, uint256 amount, uint256 input1, uint256 input2, uint256 output1, uint256 output2)',
  'event Deposit(address indexed to, uint256 amount)',
  'event Withdrawal(address indexed from, uint256 amount)',
  'event Swap(address indexed sender, uint amount0In, uint amount1In, uint amount0Out, uint amount1Out, address indexed to)',
  'event Sync(uint112 reserve0, uint112 reserve1)',
  'event Mint(address indexed sender, uint256 amount0, uint256 amount1)',
  'event Burn(address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
  'event ModifyLiquidity(bytes32 indexed id, address indexed sender, int24 tickLower, int24 tickUpper, int256 liquidityDelta, bytes32 salt)',
  'event Mint(address indexed caller, address indexed onBehalfOf, uint256 value, uint256 balanceIncrease, uint256 index)',
  'event Burn(address indexed from, address indexed target, uint256 value, uint256 balanceIncrease, uint256 index)',
  'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
  'event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)',
  'event Trade(address indexed owner, address sellToken, address buyToken, uint256 sellAmount, uint256 buyAmount, uint256 feeAmount, bytes orderUid)',
  'event Swap(address sender, uint256 inputAmount, address inputToken, uint256 amountOut, address outputToken, int256 slippage, uint32 referralCode)',
  'event Fill(bytes32 indexed orderHash, address indexed filler, address indexed swapper, uint256 nonce)',
  'event Swap(address sender, uint256 inputAmount, address inputToken, uint256 amountOut, address outputToken, int256 slippage, uint64 referralCode, uint64 referralFee, address referralFeeRecipient)',
  'event SwapMulti(address sender, uint256[] amountsIn, address[] tokensIn, uint256[] amountsOut, address[] tokensOut, uint32 referralCode)',
  'event SwapMulti(address sender, uint256[] amountsIn, address[] tokensIn, uint256[] amountsOut, address[] tokensOut, int256[] slippage, uint64 referralCode, uint64 referralFee, address referralFeeRecipient)',
  'event SwappedV3(bytes16 uuid, address partner, uint256 feePercent, address initiator, address indexed beneficiary, address indexed srcToken, address indexed destToken, uint256 srcAmount, uint256 receivedAmount, uint256 expectedAmount)',
  'event BoughtV3(bytes16 uuid, address partner, uint256 feePercent, address initiator, address indexed beneficiary, address indexed srcToken, address indexed destToken, uint256 srcAmount, uint256 receivedAmount, uint256 expectedAmount)',
  'event OrderFilledRFQ(bytes32 orderHash, uint256 makingAmount)',
  'event OrderFilled(address indexed maker, bytes32 orderHash, uint256 remaining)',
  'event OrderFilled(bytes32 orderHash, uint256 remainingAmount)',
  'event BeforeExecution()',
  'event TokenExchange(address indexed buyer, int128 sold_id, uint256 tokens_sold, int128 bought_id, uint256 tokens_bought)',
  'event TokenExchange(address indexed buyer, uint256 sold_id, uint256 tokens_sold, uint256 bought_id, uint256 tokens_bought)',
  'event AddLiquidity(address indexed provider, uint256[2] token_amounts, uint256[2] fees, uint256 invariant, uint256 token_supply)',
  'event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
])
const ITEM = new Interface(['event Transfer(address indexed from, address indexed to, uint256 indexed id)'])
const MOST_COINS = 2n ** 256n - 1n
const PAIR_SWAP = 'Swap(address,uint256,uint256,uint256,uint256,address)'
const ODOS_SWAP = 'Swap(address,uint256,address,uint256,address,int256,uint32)'
const ODOS_V3_SWAP = 'Swap(address,uint256,address,uint256,address,int256,uint64,uint64,address)'
const ODOS_MULTI = 'SwapMulti(address,uint256[],address[],uint256[],address[],uint32)'
const ODOS_V3_MULTI = 'SwapMulti(address,uint256[],address[],uint256[],address[],int256[],uint64,uint64,address)'
const SCALED_MINT = 'Mint(address,address,uint256,uint256,uint256)'
const SCALED_BURN = 'Burn(address,address,uint256,uint256,uint256)'
const [PAIR_MINT, RANGE_BURN] = ['Mint(address,uint256,uint256)', 'Burn(address,int24,int24,uint128,uint256,uint256)']
const STABLE = 'TokenExchange(address,int128,uint256,int128,uint256)'
const CRYPTO = 'TokenExchange(address,uint256,uint256,uint256,uint256)'

const LIMIT_ORDER = 'OrderFilled(address,bytes32,uint256)'
const LIMIT_ORDER_V6 = 'OrderFilled(bytes32,uint256)'
/** Augustus keeps a fee of 1 % of the 10,000 received, or of what it sold. */
const FEE_CODE = 2n ** 248n + 100n
const FEE_OF_SOLD = FEE_CODE + 2n ** 15n

export const SETTLEMENTS = [
  ...['cow', 'odos', 'odosV3', 'odosMulti', 'odosV3Multi', 'uniswapx', 'entryPoint'],
  ...['augustus', 'augustusBuy', 'limitOrders', 'limitOrdersV6', 'requests'],
] as const

const fragments = new Map<string, EventFragment>()

/** Caches events, because ethers would hash all events of the interface for each log. */
function fragmentOf(face: Interface, name: string): EventFragment {
  const key = face === ITEM ? `item ${name}` : name
  const known = fragments.get(key) ?? face.getEvent(name)
  if (known === null) throw new Error(`no event ${name}`)
  fragments.set(key, known)
  return known
}

/** Encodes simple events without ethers, which would hash each address. */
function encode(face: Interface, event: EventFragment, values: unknown[]): { topics: string[]; data: string } {
  if (!event.inputs.every(({ type }) => type === 'address' || type === 'uint256' || type === 'uint112')) {
    return face.encodeEventLog(event, values)
  }
  const words = values.map((value) =>
    BigInt(value as string | bigint)
      .toString(16)
      .padStart(64, '0'),
  )
  const indexed = words.filter((_, at) => event.inputs[at]?.indexed === true)
  const data = words.filter((_, at) => event.inputs[at]?.indexed !== true)
  return { topics: [topicOf(event), ...indexed.map((word) => `0x${word}`)], data: `0x${data.join('')}` }
}

const topics = new Map<EventFragment, string>()

function topicOf(event: EventFragment): string {
  const topic = topics.get(event) ?? event.topicHash
  topics.set(event, topic)
  return topic
}

interface LentMove {
  token: TokenName
  account: Name
  value: bigint
  interest: bigint
  isBurn: boolean
  isLate: boolean
}

/** How transfers of coins are logged: not at all, by the system address, or by Polygon's coin. */
export type CoinLogs = 'none' | 'all' | 'polygon'

export class ReceiptWriter {
  readonly logs: Log[] = []
  readonly story: string[] = []
  value = 0n
  /**
   * Log indexes of swaps that a token's contract, or an account with its own tokens, makes during the trader's payment.
   */
  readonly ownSwaps = new Set<number>()

  readonly logsCoins: CoinLogs

  constructor(logsCoins: CoinLogs = 'none') {
    this.logsCoins = logsCoins
  }

  transfer(token: Name, from: Name, to: Name, amount: bigint): void {
    this.#emit(token, 'Transfer', [addressOf(from), addressOf(to), amount], `${amount} ${token} ${from} -> ${to}`)
  }

  repeat(token: TokenName, by: Name): void {
    for (const { address, topics, data } of [...this.logs]) {
      if (address !== addressOf(token) || topics[0] !== topicOf(fragmentOf(EVENTS, 'Transfer'))) continue
      const [from, to] = topics.slice(1).map((topic) => `0x${topic.slice(26)}`)
      this.#emit(by, 'Transfer', [from, to, BigInt(data)], `${BigInt(data)} ${by} ${from} -> ${to} (repeats ${token})`)
    }
  }

  wrap(account: Name, amount: bigint): void {
    this.coins(account, 'WETH', amount)
    this.#emit('WETH', 'Deposit', [addressOf(account), amount], `${account} wraps ${amount}`)
  }

  unwrap(account: Name, amount: bigint): void {
    this.coins('WETH', account, amount)
    this.#emit('WETH', 'Withdrawal', [addressOf(account), amount], `${account} unwraps ${amount}`)
  }

  coins(from: Name, to: Name, amount: bigint): void {
    if (this.logsCoins === 'all' && amount > 0n) this.coinLog(from, to, amount)
    if (this.logsCoins === 'polygon' && amount > 0n) this.polygonLog(from, to, amount)
  }

  /** @param more extra data, with which the log is not a transfer of coins */
  coinLog(from: Name, to: Name, amount: bigint, more = ''): void {
    const values = [addressOf(from), addressOf(to), amount]
    this.#emit('system', 'Transfer', values, `${amount} coins ${from} -> ${to}${more && ' (malformed)'}`, EVENTS, more)
  }

  /** @param isRepeated whether the log only repeats another, and shows no change of balances */
  polygonLog(from: Name, to: Name, amount: bigint, isRepeated = false): void {
    const [token, payer, taker] = [addressOf('polygonCoin'), addressOf(from), addressOf(to)]
    const text = `${amount} coins of Polygon ${from} -> ${to}${isRepeated ? ' (repeated)' : ''}`
    const before = isRepeated ? MOST_COINS - amount : MOST_COINS
    const balances = [before, 0n, MOST_COINS - amount, amount]
    this.#emit('polygonCoin', 'LogTransfer', [token, payer, taker, amount, ...balances], text)
  }

  sendAlong(to: Name, amount: bigint): void {
    this.value += amount
    this.coins('trader', to, amount)
  }

  swap(turn: Pick<Turn, 'pool' | 'isFirst'> | Turn, amountIn: bigint, amountOut: bigint, to: Name): void {
    const ids = 'from' in turn ? idsOf(turn) : null
    if (ids === null) {
      this.pairSwap(turn.pool, turn.isFirst, amountIn, amountOut, to)
      return
    }
    const { pool } = turn
    const values = [addressOf('router'), ids.sold, amountIn, ids.bought, amountOut]
    const text = `${pool} exchanges ${amountIn} for ${amountOut}`
    this.#emit(pool, pool === 'curveCrypto' ? CRYPTO : STABLE, values, text)
  }

  pairSwap(pair: Name, isFirst: boolean, amountIn: bigint, amountOut: bigint, to: Name): void {
    this.#emit(pair, 'Sync', [10n ** 9n, 10n ** 9n], `${pair} syncs`)
    const paid = isFirst ? [amountIn, 0n, 0n, amountOut] : [0n, amountIn, amountOut, 0n]
    const text = `${pair} swaps ${amountIn} for ${amountOut}, to ${to}`
    this.#emit(pair, PAIR_SWAP, [addressOf('router'), ...paid, addressOf(to)], text)
  }

  /** @param more extra data, with which an ERC-1155 log is not a transfer of an item */
  item(standard: '721' | '1155' | 'batch', from: Name, to: Name, more = ''): void {
    const text = `an item (${standard}) ${from} -> ${to}${more && ' (malformed)'}`
    const ends = [addressOf(from), addressOf(to)]
    if (standard === '721') this.#emit('NFT', 'Transfer', [...ends, 7n], text, ITEM)
    else if (standard === '1155')
      this.#emit('NFT', 'TransferSingle', [addressOf('router'), ...ends, 7n, 2n], text, EVENTS, more)
    else this.#emit('NFT', 'TransferBatch', [addressOf('router'), ...ends, [7n, 8n], [1n, 2n]], text, EVENTS, more)
  }

  /** With `lent`, a lending token emits an event with the topic of a pair. */
  liquidity(kind: 'pair' | 'lent' | 'range' | 'managed' | 'withdrawn' | 'curve'): void {
    const text = `liquidity changes (${kind})`
    if (kind === 'pair') this.#emit('unverified', 'Sync', [10n ** 9n, 10n ** 9n], 'unverified syncs')
    if (kind === 'pair') this.#emit('unverified', PAIR_MINT, [addressOf('router'), 5n, 5n], text)
    else if (kind === 'lent') this.#emit('darkVenue', PAIR_MINT, [addressOf('router'), 5n, 5n], text)
    else if (kind === 'range') this.#emit('unverified', RANGE_BURN, [addressOf('router'), -10n, 10n, 5n, 5n, 5n], text)
    else if (kind === 'managed' || kind === 'withdrawn') {
      const delta = kind === 'managed' ? 5n : -5n
      this.#emit('manager', 'ModifyLiquidity', [ZeroHash, addressOf('router'), -10n, 10n, delta, ZeroHash], text)
    } else if (kind === 'curve')
      this.#emit('curveStable', 'AddLiquidity', [addressOf('router'), [5n, 5n], [0n, 0n], 1n, 1n], text)
  }

  lent({ token, account, value, interest, isBurn, isLate }: LentMove): void {
    if (isBurn) this.transfer(token, account, 'zero', value)
    else this.transfer(token, 'zero', account, value)
    if (isLate) this.liquidity('lent')
    const text = `${token} ${isBurn ? 'burns' : 'mints'} ${value} of ${account}, interest ${interest}`
    const [user, other] = [addressOf(account), addressOf('router')]
    if (isBurn) this.#emit(token, SCALED_BURN, [user, other, value, interest, 1n], text)
    else this.#emit(token, SCALED_MINT, [other, user, value, interest, 1n], text)
  }

  begin(entryPoint: Name = 'entryPoint'): void {
    this.#emit(entryPoint, 'BeforeExecution', [], `${entryPoint} begins`)
  }

  order(owner: Name, [sold, amount]: [TokenName, bigint], [bought, got]: [TokenName | 'coin', bigint]): void {
    const values = [addressOf(owner), addressOf(sold), addressOf(bought), amount, got, 0n, '0x']
    this.#emit('cow', 'Trade', values, `cow names ${owner} (${amount} ${sold} for ${got} ${bought})`)
  }

  settle(kind: (typeof SETTLEMENTS)[number], account: Name, emitter: Name, success: boolean): void {
    const text = `${emitter} names ${account} (${kind}${success ? '' : ', failed'})`
    const [who, token] = [addressOf(account), addressOf('AAA')]
    const zero = addressOf('zero')
    const [one, many] = [
      [who, 7n, token, 9n, zero, 0n],
      [who, [1n], [token], [1n], [token]],
    ]
    if (kind === 'cow') this.#emit(emitter, 'Trade', [who, token, token, 1n, 1n, 0n, '0x'], text)
    else if (kind === 'odos') this.#emit(emitter, ODOS_SWAP, [...one, 0n], text)
    else if (kind === 'odosV3') this.#emit(emitter, ODOS_V3_SWAP, [...one, 0n, 0n, zero], text)
    else if (kind === 'odosMulti') this.#emit(emitter, ODOS_MULTI, [...many, 0n], text)
    else if (kind === 'odosV3Multi') this.#emit(emitter, ODOS_V3_MULTI, [...many, [0n], 0n, 0n, zero], text)
    else if (kind === 'augustus') {
      const code = success ? FEE_CODE : FEE_OF_SOLD
      const values = [`0x${'00'.repeat(16)}`, addressOf('router'), code, who, who, token, addressOf('coin')]
      this.#emit(emitter, 'SwappedV3', [...values, 7n, 10_000n, 10_000n], text)
    } else if (kind === 'augustusBuy') {
      const values = [`0x${'00'.repeat(16)}`, zero, 0n, addressOf('trader'), who, addressOf('coin'), token]
      this.#emit(emitter, 'BoughtV3', [...values, 99n, 200n, success ? 99n : 100n], text)
    } else if (kind === 'requests') this.#emit(emitter, 'OrderFilledRFQ', [ZeroHash, 5n], text)
    else if (kind === 'limitOrders') this.#emit(emitter, LIMIT_ORDER, [who, ZeroHash, 0n], text)
    else if (kind === 'limitOrdersV6') this.#emit(emitter, LIMIT_ORDER_V6, [ZeroHash, 0n], text)
    else if (kind === 'uniswapx') this.#emit(emitter, 'Fill', [ZeroHash, addressOf('maker'), who, 0n], text)
    else this.#emit(emitter, 'UserOperationEvent', [ZeroHash, who, zero, 0n, success, 1n, 1n], text)
  }

  #emit(emitter: Name, event: string, values: unknown[], text: string, face = EVENTS, more = ''): void {
    const { topics, data } = encode(face, fragmentOf(face, event), values)
    const logIndex = this.logs.length
    const place = { transactionIndex: 0, logIndex }
    this.logs.push({ address: addressOf(emitter), topics: topics as Hex[], data: `${data as Hex}${more}`, ...place })
    this.story.push(`${String(logIndex).padStart(3)} ${text}`)
  }
}
