import type { DevnetChain } from '@dexfeed/devnet'
import type { NetworkName } from '@dexfeed/dex'
import { lessFee, paidToAnother, partlyUnwrapped, swap, swaps, type Trade, type Transaction } from './encode-trades.ts'

const GAS = '0x989680'

const UNUSUAL: Partial<Record<NetworkName, readonly Trade[]>> = {
  eth: [
    swaps([[[900, 'uniswap-v2 3000 MKR>DAI', 'uniswap-v3 100 DAI>USDC']], [[700, 'uniswap-v3 10000 LINK>LDO']]]),
    swaps([[[500, 'uniswap-v3 100 USDC>USDT']], [[300, 'uniswap-v3 100 USDC>USDT']]]),
    // The first leaves so little DAI that it does not count; the second leaves more.
    swaps([[[900, 'uniswap-v3 100 USDC>DAI']], [[870, 'uniswap-v2 3000 DAI>MKR']]]),
    swaps([[[900, 'uniswap-v3 100 USDC>DAI']], [[700, 'uniswap-v2 3000 DAI>MKR']]]),
    swaps([[[600, 'uniswap-v3 3000 WETH>UNI']]], { idleCoins: 1 }),
    partlyUnwrapped([500, 'uniswap-v3 3000 LINK>WETH'], [500, 'uniswap-v3 3000 LINK>WETH']),
    partlyUnwrapped([950, 'uniswap-v3 3000 LINK>WETH'], [50, 'uniswap-v3 3000 LINK>WETH']),
    // The branches meet again in an anchor, but only one of them passes through a stablecoin.
    swap(
      [4_000, 'uniswap-v3 3000 WBTC>USDC', 'uniswap-v3 500 USDC>WETH', 'uniswap-v3 3000 WETH>UNI'],
      [3_000, 'uniswap-v3 500 WBTC>WETH', 'uniswap-v2 3000 WETH>UNI'],
    ),
    swap(
      [2_000, 'uniswap-v2 3000 MKR>DAI', 'uniswap-v2 3000 DAI>WETH', 'uniswap-v3 3000 WETH>AAVE'],
      [
        1_000,
        'uniswap-v2 3000 MKR>DAI',
        'uniswap-v3 100 DAI>USDC',
        'uniswap-v3 500 USDC>WETH',
        'uniswap-v3 3000 WETH>AAVE',
      ],
    ),
    lessFee([500, 'uniswap-v3 3000 UNI>WETH', 'uniswap-v2 3000 WETH>USDC'], 450),
    paidToAnother([400, 'uniswap-v2 3000 PAXG>USDC', 'uniswap-v2 3000 USDC>WETH']),
    // DAI loses its peg ...
    swap([40_000_000, 'uniswap-v3 100 DAI>USDC']),
    // ... and is no longer worth a USD.
    swap([1_000, 'uniswap-v2 3000 DAI>WETH']),
    swap([1_000, 'uniswap-v2 3000 WETH>DAI', 'uniswap-v2 3000 DAI>MKR']),
    swap([1_000, 'uniswap-v2 3000 USDC>WETH']),
    swap([1_000, 'uniswap-v2 3000 USDT>WETH']),
    swap([1_000, 'uniswap-v3 3000 UNI>WETH']),
  ],
  bsc: [
    swaps([[[900, 'v2-fork 3000 ADA>WBNB']], [[700, 'v2-fork 3000 TWT>CAKE', 'pancakeswap-v3 2500 CAKE>USDT']]]),
    swaps([[[900, 'pancakeswap-v3 2500 CAKE>USDT']], [[700, 'pancakeswap-v3 2500 USDT>CAKE']]]),
    swap(
      [1_500, 'pancakeswap-v3 500 BTCB>USDT', 'pancakeswap-v3 500 USDT>WBNB'],
      [1_500, 'v2-fork 3000 BTCB>BUSD', 'v2-fork 3000 BUSD>WBNB'],
    ),
    // Another account receives a token that taxes transfers. Then the account that swaps keeps a tenth of it.
    paidToAnother([400, 'v2-fork 3000 ADA>WBNB', 'v2-fork 3000 WBNB>SFM']),
    lessFee([500, 'v2-fork 3000 ADA>WBNB', 'v2-fork 3000 WBNB>SFM'], 430),
    swaps([
      [[300, 'pancakeswap-v3 500 USDC>WBNB']],
      [[300, 'v2-fork 3000 ADA>WBNB']],
      [[300, 'v2-fork 3000 CAKE>WBNB']],
    ]),
  ],
  // The local Polygon has no Multicall3, so each transaction has one swap.
  polygon: [
    swap(
      [800, 'uniswap-v3 500 WBTC>WETH', 'uniswap-v3 500 WETH>WPOL', 'quickswap-v2 3000 WPOL>QUICK'],
      [900, 'uniswap-v3 3000 WBTC>USDC', 'quickswap-v2 3000 USDC>WPOL', 'quickswap-v2 3000 WPOL>QUICK'],
    ),
    swap([700, 'uniswap-v3 3000 LINK>WETH', 'uniswap-v3 3000 WETH>AAVE']),
    swap([700, 'uniswap-v3 500 WETH>WBTC']),
    swap([700, 'uniswap-v3 500 WBTC>WETH']),
    paidToAnother([500, 'quickswap-v2 3000 USDC>WPOL', 'quickswap-v2 3000 WPOL>QUICK']),
    partlyUnwrapped([600, 'uniswap-v3 500 USDC>WPOL'], [300, 'uniswap-v3 500 USDC>WPOL']),
  ],
}

export async function makeUnusualTrades(chain: DevnetChain): Promise<void> {
  const from = chain.accounts.traders[0]
  for (const trade of UNUSUAL[chain.network] ?? []) {
    await mine(
      chain,
      trade(chain).map((transaction) => ({ ...transaction, from, gas: GAS })),
    )
  }
}

async function mine({ rpc }: DevnetChain, transactions: readonly Transaction[]): Promise<void> {
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
