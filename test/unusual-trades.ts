import type { DevnetChain } from '@dexfeed/devnet'
import type { NetworkName } from '@dexfeed/dex'
import { Interface, parseUnits } from 'ethers'

const DEV_ROUTER = new Interface([
  'function swap((uint256 amountIn, (address pool, bool concentrated, address tokenIn, address tokenOut)[] hops)[], uint256 minOut, bool nativeOut) payable returns (uint256)',
])
const MULTICALL = new Interface([
  'function aggregate3((address target, bool allowFailure, bytes callData)[]) payable returns ((bool, bytes)[])',
])
const ERC20 = new Interface(['function transfer(address, uint256) returns (bool)'])
const GAS = '0x989680'

/** A branch is a chain of pools, each `dex fee token>token`, and what it sells is worth so many USD at first. */
type Branch = readonly [usd: number, ...pools: string[]]

/** What one transaction does: swaps of the local router, one after the other, each over some branches. */
type UnusualTrade = readonly (readonly Branch[])[]

/** What no bot does. */
const UNUSUAL: Record<NetworkName, readonly UnusualTrade[]> = {
  eth: [
    // Two routes that share no token.
    [[[900, 'uniswap-v3 100 USDC>DAI']], [[700, 'uniswap-v3 10000 LINK>LDO']]],
    // Two swaps in one direction through one pool.
    [[[500, 'uniswap-v3 100 USDC>USDT']], [[300, 'uniswap-v3 100 USDC>USDT']]],
    // Branches of different lengths that meet again in an anchor, only one of them with a stablecoin.
    [
      [
        [4_000, 'uniswap-v3 3000 WBTC>USDC', 'uniswap-v3 500 USDC>WETH', 'uniswap-v3 3000 WETH>UNI'],
        [3_000, 'uniswap-v3 500 WBTC>WETH', 'uniswap-v2 3000 WETH>UNI'],
      ],
    ],
    // All branches pass a stablecoin, one of them a second one.
    [
      [
        [2_000, 'uniswap-v2 3000 MKR>DAI', 'uniswap-v2 3000 DAI>WETH', 'uniswap-v3 3000 WETH>AAVE'],
        [
          1_000,
          'uniswap-v2 3000 MKR>DAI',
          'uniswap-v3 100 DAI>USDC',
          'uniswap-v3 500 USDC>WETH',
          'uniswap-v3 3000 WETH>AAVE',
        ],
      ],
    ],
    // DAI loses its peg ...
    [[[40_000_000, 'uniswap-v3 100 DAI>USDC']]],
    // ... and is not worth a USD any longer.
    [[[1_000, 'uniswap-v2 3000 DAI>WETH']]],
    [[[1_000, 'uniswap-v2 3000 WETH>DAI', 'uniswap-v2 3000 DAI>MKR']]],
    [[[1_000, 'uniswap-v2 3000 USDC>WETH']]],
    [[[1_000, 'uniswap-v2 3000 USDT>WETH']]],
    [[[1_000, 'uniswap-v3 3000 UNI>WETH']]],
  ],
  bsc: [
    [[[900, 'v2-fork 3000 ADA>WBNB']], [[700, 'v2-fork 3000 TWT>CAKE']]],
    // There and most of it back in one transaction, by two swaps.
    [[[900, 'pancakeswap-v3 2500 CAKE>USDT']], [[700, 'pancakeswap-v3 2500 USDT>CAKE']]],
    // Each branch passes a stablecoin of its own.
    [
      [
        [1_500, 'pancakeswap-v3 500 BTCB>USDT', 'pancakeswap-v3 500 USDT>WBNB'],
        [1_500, 'v2-fork 3000 BTCB>BUSD', 'v2-fork 3000 BUSD>WBNB'],
      ],
    ],
    // Three tokens are sold for one.
    [[[300, 'pancakeswap-v3 500 USDC>WBNB']], [[300, 'v2-fork 3000 ADA>WBNB']], [[300, 'v2-fork 3000 CAKE>WBNB']]],
  ],
  // No Multicall3 there: one swap a transaction.
  polygon: [
    [
      [
        [800, 'uniswap-v3 500 WBTC>WETH', 'uniswap-v3 500 WETH>WPOL', 'quickswap-v2 3000 WPOL>QUICK'],
        [900, 'uniswap-v3 3000 WBTC>USDC', 'quickswap-v2 3000 USDC>WPOL', 'quickswap-v2 3000 WPOL>QUICK'],
      ],
    ],
    [[[700, 'uniswap-v3 3000 LINK>WETH', 'uniswap-v3 3000 WETH>AAVE']]],
    [[[700, 'uniswap-v3 500 WETH>WBTC']]],
    [[[700, 'uniswap-v3 500 WBTC>WETH']]],
  ],
}

/** Sends the transactions that no bot makes, a block for each. */
export async function makeUnusualTrades(chain: DevnetChain): Promise<void> {
  for (const [at, trade] of UNUSUAL[chain.network].entries()) {
    const from = chain.accounts.traders[at % chain.accounts.traders.length]
    await mine(
      chain,
      transactionsOf(chain, trade).map((transaction) => ({ ...transaction, from, gas: GAS })),
    )
  }
}

function transactionsOf(chain: DevnetChain, trade: UnusualTrade): { to: string; data: string }[] {
  const { devRouter, multicall3 } = chain.contracts
  const swaps = trade.map((branches) => swapOf(chain, branches))
  const [swap] = swaps
  if (swap && swaps.length === 1) return [{ to: devRouter, data: swap.data }]
  if (!multicall3) throw new Error(`${chain.network} has no Multicall3`)
  const calls = swaps.map(({ data }) => [devRouter, false, data])
  return [
    ...swaps.map(({ token, amount }) => ({
      to: token,
      data: ERC20.encodeFunctionData('transfer', [multicall3, amount]),
    })),
    { to: multicall3, data: MULTICALL.encodeFunctionData('aggregate3', [calls]) },
  ]
}

function swapOf(chain: DevnetChain, branches: readonly Branch[]): { token: string; amount: bigint; data: string } {
  const encoded = branches.map(([usd, ...pools]) => {
    const hops = pools.map((pool) => hopOf(chain, pool))
    const token = chain.contracts.tokens.find(({ address }) => address === hops[0]?.[2])
    if (!token) throw new Error(`nothing is sold in ${pools.join(', ')}`)
    return {
      token: token.address,
      amountIn: parseUnits((usd / token.usd).toFixed(token.decimals), token.decimals),
      hops,
    }
  })
  const amount = encoded.reduce((sum, { amountIn }) => sum + amountIn, 0n)
  const args = [encoded.map(({ amountIn, hops }) => [amountIn, hops]), 0, false]
  return { token: encoded[0]?.token ?? '', amount, data: DEV_ROUTER.encodeFunctionData('swap', args) }
}

function hopOf({ contracts }: DevnetChain, text: string): [string, boolean, string, string] {
  const [dex, fee, symbols = ''] = text.split(' ')
  const [tokenIn, tokenOut] = symbols.split('>').map((name) => contracts.tokens.find(({ symbol }) => symbol === name))
  const pool = contracts.pools.find(
    (at) =>
      [at.dex, String(at.fee)].join() === [dex, fee].join() &&
      [at.token0, at.token1].sort().join() === [tokenIn?.address, tokenOut?.address].sort().join(),
  )
  if (!pool || !tokenIn || !tokenOut) throw new Error(`no pool ${text}`)
  return [pool.address, pool.tickSpacing !== null, tokenIn.address, tokenOut.address]
}

async function mine({ rpc }: DevnetChain, transactions: readonly object[]): Promise<void> {
  const latest = await rpc.send<{ timestamp: string }>('eth_getBlockByNumber', ['latest', false])
  const time = Math.max(Math.floor(Date.now() / 1000), Number(latest.timestamp) + 1)
  const hashes = await rpc.batch<string>([
    ...transactions.map((transaction) => ({ method: 'eth_sendTransaction', params: [transaction] })),
    { method: 'evm_mine', params: [time] },
  ])
  for (const hash of hashes.slice(0, -1)) {
    const receipt = await rpc.send<{ status: string } | null>('eth_getTransactionReceipt', [hash])
    if (receipt?.status !== '0x1') throw new Error(`transaction ${hash} failed`)
  }
}
