import type { Hex, Log } from '@dexfeed/dex'
import { Interface, ZeroHash } from 'ethers'
import { addressOf, type Name, nameOf, type PairName } from './made-world.ts'

const EVENTS = new Interface([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Deposit(address indexed to, uint256 amount)',
  'event Withdrawal(address indexed from, uint256 amount)',
  'event Swap(address indexed sender, uint amount0In, uint amount1In, uint amount0Out, uint amount1Out, address indexed to)',
  'event Sync(uint112 reserve0, uint112 reserve1)',
  'event Mint(address indexed sender, uint256 amount0, uint256 amount1)',
  'event Burn(address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
  'event ModifyLiquidity(bytes32 indexed id, address indexed sender, int24 tickLower, int24 tickUpper, int256 liquidityDelta, bytes32 salt)',
  'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
  'event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)',
  'event Trade(address indexed owner, address sellToken, address buyToken, uint256 sellAmount, uint256 buyAmount, uint256 feeAmount, bytes orderUid)',
  'event Swap(address sender, uint256 inputAmount, address inputToken, uint256 amountOut, address outputToken, int256 slippage, uint32 referralCode)',
  'event Fill(bytes32 indexed orderHash, address indexed filler, address indexed swapper, uint256 nonce)',
  'event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
])
const ITEM = new Interface(['event Transfer(address indexed from, address indexed to, uint256 indexed id)'])
const PAIR_SWAP = 'Swap(address,uint256,uint256,uint256,uint256,address)'
const ODOS_SWAP = 'Swap(address,uint256,address,uint256,address,int256,uint32)'

/** Writes the logs of one transaction, and beside them what they say in words. */
export class ReceiptWriter {
  readonly logs: Log[] = []
  readonly story: string[] = []
  value = 0n
  /** The logs of swaps that a token's contract, or somebody's stock, made within the trader's payment. */
  readonly ownSwaps = new Set<number>()

  transfer(token: Name, from: Name, to: Name, amount: bigint): void {
    this.#emit(token, 'Transfer', [addressOf(from), addressOf(to), amount], `${amount} ${token} ${from} -> ${to}`)
  }

  wrap(account: Name, amount: bigint): void {
    this.#emit('WETH', 'Deposit', [addressOf(account), amount], `${account} wraps ${amount}`)
  }

  unwrap(account: Name, amount: bigint): void {
    this.#emit('WETH', 'Withdrawal', [addressOf(account), amount], `${account} unwraps ${amount}`)
  }

  /** @param isFirst whether what is paid in is the pair's token0 */
  swap(pair: PairName | 'unverified', isFirst: boolean, amountIn: bigint, amountOut: bigint, to: Name): void {
    this.#emit(pair, 'Sync', [10n ** 9n, 10n ** 9n], `${pair} syncs`)
    const paid = isFirst ? [amountIn, 0n, 0n, amountOut] : [0n, amountIn, amountOut, 0n]
    const text = `${pair} swaps ${amountIn} for ${amountOut}, to ${to}`
    this.#emit(pair, PAIR_SWAP, [addressOf('router'), ...paid, addressOf(to)], text)
  }

  item(standard: '721' | '1155' | 'batch', from: Name, to: Name): void {
    const text = `an item ${from} -> ${to}`
    const ends = [addressOf(from), addressOf(to)]
    if (standard === '721') this.#emit('NFT', 'Transfer', [...ends, 7n], text, ITEM)
    else if (standard === '1155') this.#emit('NFT', 'TransferSingle', [addressOf('router'), ...ends, 7n, 2n], text)
    else this.#emit('NFT', 'TransferBatch', [addressOf('router'), ...ends, [7n, 8n], [1n, 2n]], text)
  }

  liquidity(kind: 'pair' | 'range' | 'managed'): void {
    const text = `liquidity changes (${kind})`
    if (kind === 'pair') this.#emit('unverified', 'Mint', [addressOf('router'), 5n, 5n], text)
    else if (kind === 'range') this.#emit('unverified', 'Burn', [addressOf('router'), -10n, 10n, 5n, 5n, 5n], text)
    else this.#emit('manager', 'ModifyLiquidity', [ZeroHash, addressOf('router'), -10n, 10n, 5n, ZeroHash], text)
  }

  settle(kind: 'cow' | 'odos' | 'uniswapx' | 'entryPoint', account: Name, emitter: Name, success: boolean): void {
    const text = `${emitter} names ${account} (${kind}${success ? '' : ', failed'})`
    const [who, token] = [addressOf(account), addressOf('AAA')]
    if (kind === 'cow') this.#emit(emitter, 'Trade', [who, token, token, 1n, 1n, 0n, '0x'], text)
    else if (kind === 'odos') this.#emit(emitter, ODOS_SWAP, [who, 1n, token, 1n, token, 0n, 0n], text)
    else if (kind === 'uniswapx') this.#emit(emitter, 'Fill', [ZeroHash, addressOf('maker'), who, 0n], text)
    else this.#emit(emitter, 'UserOperationEvent', [ZeroHash, who, addressOf('zero'), 0n, success, 1n, 1n], text)
  }

  #emit(emitter: Name, event: string, values: unknown[], text: string, face = EVENTS): void {
    const { topics, data } = face.encodeEventLog(event, values)
    const logIndex = this.logs.length
    const place = { transactionIndex: 0, logIndex }
    this.logs.push({ address: addressOf(emitter), topics: topics as Hex[], data: data as Hex, ...place })
    this.story.push(`${String(logIndex).padStart(3)} ${text}`)
  }
}

/** A row in words: what both sides of the comparison are made to. */
export function tell(row: {
  sell: { token: string; amount: bigint; native: boolean }
  buy: { token: string; amount: bigint; native: boolean }
  through: { sell: { token: string; amount: bigint }; buy: { token: string; amount: bigint } }
  settledFor: string | null
  isPartial: boolean
  isOwn: boolean
  hops: readonly { logIndex: number }[]
}): string {
  const end = ({ token, amount, native }: { token: string; amount: bigint; native?: boolean }) => {
    return `${amount} ${native === true ? 'coin' : nameOf(token)}`
  }
  const { sell, buy, through, settledFor, isPartial, isOwn, hops } = row
  return [
    `${end(sell)} for ${end(buy)}`,
    `(pools: ${end({ ...through.sell, native: false })} for ${end({ ...through.buy, native: false })})`,
    `by logs ${hops.map(({ logIndex }) => logIndex).join(' ')}`,
    ...(settledFor === null ? [] : [`settled for ${nameOf(settledFor)}`]),
    ...(isPartial ? ['partial'] : []),
    ...(isOwn ? ['own'] : []),
  ].join(', ')
}
