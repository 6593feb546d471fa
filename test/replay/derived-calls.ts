import { type Address, builtInDeployments, type Dex, type Hex } from '@dexfeed/dex'
import { getCreate2Address, Interface, type LogDescription, type Result, solidityPackedKeccak256 } from 'ethers'
import type { RecordedLog, Recording } from './recording.ts'

/**
 * Derives the results of calls from the recorded logs.
 *
 *   event of a pool --names or moves--> its tokens --> the getters of the pool.
 *                                                  `-> the getters of its configured factory.
 *
 * A contract that emits such an event without moving its amounts gets no results. Neither does a pair whose CREATE2
 * address does not match its factory. The logs do not show which DODO factory made a pool, so the first one is used.
 */
const EVENTS = new Interface([
  'event DODOSwap(address fromToken, address toToken, uint256 fromAmount, uint256 toAmount, address trader, address receiver)',
  'event LOG_SWAP(address indexed caller, address indexed tokenIn, address indexed tokenOut, uint256 amountIn, uint256 amountOut)',
  'event Swap(address sender, address recipient, bool tokenAIn, bool exactOutput, uint256 amountIn, uint256 amountOut, int32 activeTick)',
  'event PoolSwap(address sender, address recipient, tuple(uint256 amount, bool tokenAIn, bool exactOutput, int32 tickLimit) params, uint256 amountIn, uint256 amountOut)',
  'event SellGem(address indexed owner, uint256 value, uint256 fee)',
  'event BuyGem(address indexed owner, uint256 value, uint256 fee)',
  'event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
])
const GETTERS = new Interface([
  'function _BASE_TOKEN_() view returns (address)',
  'function _QUOTE_TOKEN_() view returns (address)',
  'function getDODOPool(address base, address quote) view returns (address[])',
  'function isBPool(address pool) view returns (bool)',
  'function getCurrentTokens() view returns (address[])',
  'function isFactoryPool(address pool) view returns (bool)',
  'function tokenA() view returns (address)',
  'function tokenB() view returns (address)',
  'function dai() view returns (address)',
  'function gemJoin() view returns (address)',
  'function gem() view returns (address)',
  'function dec() view returns (uint256)',
  'function factory() view returns (address)',
  'function token0() view returns (address)',
  'function token1() view returns (address)',
  'function getPair(address, address) view returns (address)',
])
const PAIR_CODE: Readonly<Record<string, Hex>> = {
  'uniswap-v2': '0x96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f',
  sushiswap: '0xe18a34eb0e04b04f7a0ac29a6e80748dca96319b42c54d679cb821dca90c6303',
  shibaswap: '0x65d1a3b1e46c6e4f1be1ad5f99ef14dc488ae0549dc97db9b30afe2241ce1c7a',
}
const DAI = '0x6b175474e89094c44da98b954eedeac495271d0f'
const DAI_PER_GEM = 10n ** 12n

interface Transfer {
  token: Address
  from: Address
  to: Address
  value: bigint
}

interface Emitted {
  pool: Address
  args: Result
  transfers: readonly Transfer[]
  dex: Dex
}

type AddCall = (to: Address, name: string, args: readonly unknown[], ...results: unknown[]) => void

export function derivedCalls({ network, blocks }: Pick<Recording, 'network' | 'blocks'>): Recording['calls'] {
  const calls: Recording['calls'] = {}
  const addCall: AddCall = (to, name, args, ...results) => {
    const own = calls[to] ?? {}
    calls[to] = own
    own[GETTERS.encodeFunctionData(name, args) as Hex] = GETTERS.encodeFunctionResult(name, results) as Hex
  }
  for (const { logs } of blocks.flatMap(({ transactions }) => transactions)) {
    const transfers = logs.flatMap(transferOf)
    for (const log of logs) {
      const event = parsed(log)
      const [kind, derive] = (event && DERIVED[event.signature]) ?? []
      for (const dex of builtInDeployments[network].dexes) {
        if (event && dex.kind === kind) derive?.({ pool: log.address, args: event.args, transfers, dex }, addCall)
      }
    }
  }
  return calls
}

const DERIVED: Readonly<Record<string, [Dex['kind'], (emitted: Emitted, addCall: AddCall) => void]>> = {
  'DODOSwap(address,address,uint256,uint256,address,address)': ['dodo', ofDodo],
  'LOG_SWAP(address,address,address,uint256,uint256)': ['balancer-v1', ofBalancer],
  'Swap(address,address,bool,bool,uint256,uint256,int32)': ['maverick-v1', ofMaverick],
  'PoolSwap(address,address,(uint256,bool,bool,int32),uint256,uint256)': ['maverick-v2', ofMaverick],
  'SellGem(address,uint256,uint256)': ['maker-psm', ofPsm],
  'BuyGem(address,uint256,uint256)': ['maker-psm', ofPsm],
  'Swap(address,uint256,uint256,uint256,uint256,address)': ['uniswap-v2', ofPair],
}

function ofDodo({ pool, args, transfers, dex }: Emitted, addCall: AddCall): void {
  const [tokenIn, tokenOut] = [lower(args.fromToken), lower(args.toToken)]
  if (!moves(transfers, { pool, amountOut: args.toAmount, tokenOut })) return
  addCall(pool, '_BASE_TOKEN_', [], tokenIn)
  addCall(pool, '_QUOTE_TOKEN_', [], tokenOut)
  addCall(dex.contracts?.dvmFactory ?? dex.factory, 'getDODOPool', [tokenIn, tokenOut], [pool])
}

function ofBalancer({ pool, args, transfers, dex }: Emitted, addCall: AddCall): void {
  const [tokenIn, tokenOut] = [lower(args.tokenIn), lower(args.tokenOut)]
  if (!moves(transfers, { pool, amountOut: args.amountOut, tokenOut })) return
  addCall(pool, 'getCurrentTokens', [], [tokenIn, tokenOut])
  addCall(dex.factory, 'isBPool', [pool], true)
}

function ofMaverick({ pool, args, transfers, dex }: Emitted, addCall: AddCall): void {
  const tokenIn = transfers.find(({ to, value }) => to === pool && value === args.amountIn)?.token
  const tokenOut = transfers.find(({ from, value }) => from === pool && value === args.amountOut)?.token
  if (tokenIn === undefined || tokenOut === undefined) return
  const isFirstIn = args.params?.tokenAIn ?? args.tokenAIn
  addCall(pool, 'tokenA', [], isFirstIn ? tokenIn : tokenOut)
  addCall(pool, 'tokenB', [], isFirstIn ? tokenOut : tokenIn)
  addCall(dex.factory, 'isFactoryPool', [pool], true)
}

/** The gem moves from or to the contract that the PSM names. */
function ofPsm({ pool, args, transfers, dex }: Emitted, addCall: AddCall): void {
  if (pool !== dex.factory) return
  const dai = args.value * DAI_PER_GEM
  const isPaid = transfers.some(
    ({ token, value }) => token === DAI && (value === dai + args.fee || value === dai - args.fee),
  )
  const gem = transfers.find(({ token, value }) => token !== DAI && value === args.value)
  if (!isPaid || gem === undefined) return
  const keeper = gem.to === lower(args.owner) ? gem.from : gem.to
  addCall(pool, 'dai', [], DAI)
  addCall(pool, 'gemJoin', [], keeper)
  addCall(keeper, 'gem', [], gem.token)
  addCall(keeper, 'dec', [], 6n)
}

function ofPair({ pool, transfers, dex }: Emitted, addCall: AddCall): void {
  const code = PAIR_CODE[dex.name]
  if (code === undefined) return
  const moved = transfers.filter(({ from, to }) => from === pool || to === pool)
  const tokens = [...new Set(moved.map(({ token }) => token))].sort()
  for (const token0 of tokens) {
    for (const token1 of tokens.filter((token) => token > token0)) {
      const salt = solidityPackedKeccak256(['address', 'address'], [token0, token1])
      if (lower(getCreate2Address(dex.factory, salt, code)) !== pool) continue
      addCall(pool, 'factory', [], dex.factory)
      addCall(pool, 'token0', [], token0)
      addCall(pool, 'token1', [], token1)
      addCall(dex.factory, 'getPair', [token0, token1], pool)
    }
  }
}

function moves(transfers: readonly Transfer[], paid: { pool: Address; tokenOut: Address; amountOut: bigint }): boolean {
  return transfers.some(({ token, from, value }) => {
    return token === paid.tokenOut && from === paid.pool && value === paid.amountOut
  })
}

function parsed({ topics, data }: RecordedLog): LogDescription | null {
  try {
    return EVENTS.parseLog({ topics, data })
  } catch {
    return null
  }
}

/** Transfers of items have another shape and are skipped. */
function transferOf(log: RecordedLog): Transfer[] {
  const event = parsed(log)
  if (event?.name !== 'Transfer') return []
  const { from, to, value } = event.args
  return [{ token: log.address, from: lower(from), to: lower(to), value }]
}

function lower(address: string): Address {
  return address.toLowerCase() as Address
}
