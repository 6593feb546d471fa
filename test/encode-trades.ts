import type { DevnetChain, DevnetToken } from '@dexfeed/devnet'
import { Interface, parseUnits, ZeroAddress } from 'ethers'

export interface Transaction {
  to: string
  data: string
  value?: string
}

export type Trade = (chain: DevnetChain) => Transaction[]

/** USD value to sell, then the pools of the route as `dex fee token>token`. */
export type Branch = readonly [usd: number, ...pools: string[]]

const DEV_ROUTER = new Interface([
  'function swap((uint256 amountIn, (address pool, bool concentrated, address tokenIn, address tokenOut)[] hops)[], uint256 minOut, bool nativeOut) payable returns (uint256)',
])
const MULTICALL = new Interface([
  'function aggregate3((address target, bool allowFailure, bytes callData)[]) payable returns ((bool, bytes)[])',
])
const SWAP_ROUTER = new Interface([
  'function multicall(bytes[]) payable returns (bytes[])',
  'function exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 deadline, uint256 amountIn, uint256 minOut, uint160 limit)) payable returns (uint256)',
  'function unwrapWETH9(uint256 minimum, address recipient) payable',
])
const V2_ROUTER = new Interface([
  'function swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256 amountIn, uint256 minOut, address[] path, address to, uint256 deadline)',
])
const ERC20 = new Interface([
  'function transferFrom(address, address, uint256) returns (bool)',
  'function transfer(address, uint256) returns (bool)',
  'function approve(address, uint256) returns (bool)',
])
const FOREVER = 10n ** 12n
const ENDLESS = 2n ** 256n - 1n

export function swap(...branches: readonly Branch[]): Trade {
  return (chain) => [{ to: chain.contracts.devRouter, data: swapOf(chain, branches).data }]
}

/** Makes several swaps in one transaction, with `idleCoins` whole coins that none of them uses. */
export function swaps(all: readonly (readonly Branch[])[], { idleCoins = 0 } = {}): Trade {
  return (chain) => {
    const { devRouter, multicall3, wrappedNative } = chain.contracts
    if (!multicall3) throw new Error(`${chain.network} has no Multicall3`)
    const encoded = all.map((branches) => swapOf(chain, branches))
    const approve = [wrappedNative, false, ERC20.encodeFunctionData('approve', [devRouter, ENDLESS])]
    const calls = [approve, ...encoded.map(({ data }) => [devRouter, false, data])]
    return [
      ...encoded.map(({ token, amount }) => {
        return { to: token, data: ERC20.encodeFunctionData('transfer', [multicall3, amount]) }
      }),
      {
        to: multicall3,
        data: MULTICALL.encodeFunctionData('aggregate3', [calls]),
        value: `0x${parseUnits(String(idleCoins), 18).toString(16)}`,
      },
    ]
  }
}

/** Buys the wrapped coin in two swaps of a V3 pool, and unwraps the first output. */
export function partlyUnwrapped(unwrapped: Branch, kept: Branch): Trade {
  return (chain) => {
    const { uniswapV3 } = chain.contracts
    if (!uniswapV3) throw new Error(`${chain.network} has no Uniswap V3`)
    const trader = chain.accounts.traders[0]
    const calls = [[unwrapped, ZeroAddress] as const, [kept, trader] as const].map(([[usd, pool = ''], recipient]) => {
      const { tokenIn, tokenOut, fee } = hopOf(chain, pool)
      const order = [tokenIn.address, tokenOut.address, fee, recipient, FOREVER, worth(tokenIn, usd), 0, 0]
      return SWAP_ROUTER.encodeFunctionData('exactInputSingle', [order])
    })
    calls.push(SWAP_ROUTER.encodeFunctionData('unwrapWETH9', [0, trader]))
    return [{ to: uniswapV3.swapRouter, data: SWAP_ROUTER.encodeFunctionData('multicall', [calls]) }]
  }
}

/** Sells through V2 pairs that pay another account. */
export function paidToAnother([usd, ...pools]: Branch): Trade {
  return (chain) => {
    const hops = pools.map((pool) => hopOf(chain, pool))
    const [first] = hops
    if (!first) throw new Error('a branch without pools')
    const path = [first.tokenIn.address, ...hops.map(({ tokenOut }) => tokenOut.address)]
    const args = [worth(first.tokenIn, usd), 0, path, chain.accounts.traders[1], FOREVER]
    const method = 'swapExactTokensForTokensSupportingFeeOnTransferTokens'
    return [{ to: chain.contracts.v2Router, data: V2_ROUTER.encodeFunctionData(method, args) }]
  }
}

/** Swaps through an account that pays the trader `paidUsd` of what it bought and keeps the rest. */
export function lessFee(branch: Branch, paidUsd: number): Trade {
  return (chain) => {
    const { devRouter, multicall3 } = chain.contracts
    if (!multicall3) throw new Error(`${chain.network} has no Multicall3`)
    const trader = chain.accounts.traders[0]
    const { token, amount, data } = swapOf(chain, [branch])
    const { tokenOut } = hopOf(chain, branch.at(-1) as string)
    const calls = [
      [token, false, ERC20.encodeFunctionData('transferFrom', [trader, multicall3, amount])],
      [devRouter, false, data],
      [tokenOut.address, false, ERC20.encodeFunctionData('transfer', [trader, worth(tokenOut, paidUsd)])],
    ]
    return [
      { to: token, data: ERC20.encodeFunctionData('approve', [multicall3, ENDLESS]) },
      { to: multicall3, data: MULTICALL.encodeFunctionData('aggregate3', [calls]) },
    ]
  }
}

function swapOf(chain: DevnetChain, branches: readonly Branch[]): { token: string; amount: bigint; data: string } {
  const encoded = branches.map(([usd, ...pools]) => {
    const hops = pools.map((pool) => hopOf(chain, pool))
    const [first] = hops
    if (!first) throw new Error('a branch without pools')
    const path = hops.map(({ pool, tokenIn, tokenOut }) => {
      return [pool.address, pool.tickSpacing !== null, tokenIn.address, tokenOut.address]
    })
    return { token: first.tokenIn.address, amount: worth(first.tokenIn, usd), path }
  })
  const amount = encoded.reduce((sum, branch) => sum + branch.amount, 0n)
  const args = [encoded.map((branch) => [branch.amount, branch.path]), 0, false]
  return { token: encoded[0]?.token ?? '', amount, data: DEV_ROUTER.encodeFunctionData('swap', args) }
}

function hopOf({ contracts }: DevnetChain, text: string) {
  const [dex, fee, symbols = ''] = text.split(' ')
  const [tokenIn, tokenOut] = symbols.split('>').map((name) => contracts.tokens.find(({ symbol }) => symbol === name))
  const pool = contracts.pools.find(
    (at) =>
      [at.dex, String(at.fee)].join() === [dex, fee].join() &&
      [at.token0, at.token1].sort().join() === [tokenIn?.address, tokenOut?.address].sort().join(),
  )
  if (!pool || !tokenIn || !tokenOut) throw new Error(`no pool ${text}`)
  return { pool, tokenIn, tokenOut, fee: pool.fee }
}

function worth({ usd, decimals }: DevnetToken, value: number): bigint {
  return parseUnits((value / usd).toFixed(decimals), decimals)
}
