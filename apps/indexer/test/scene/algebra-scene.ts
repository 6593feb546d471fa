import { createRequire } from 'node:module'
import { type Address, createMarket, type Deployment, type Hex, type Market } from '@dexfeed/dex'
import { type Database, openReader } from '@dexfeed/store'
import { closeAfter } from '@dexfeed/test-setup'
import { readMarket } from '@dexfeed/test-setup/read-market'
import { ZeroAddress } from 'ethers'
import { type Algebra, type AlgebraKind, deployAlgebra } from './algebra-contracts.ts'
import { type Artifact, type Contract, type LocalChain, type Receipt, startLocalChain } from './local-chain.ts'

const POLYGON = 137
const FOREVER = 2n ** 60n
const SUPPLY = 2n ** 120n
const UNLIMITED = 2n ** 256n - 1n
const ONE = 10n ** 18n
/** A `sqrtPriceX96`: about 2 units of token 1 for one unit of token 0. */
const START_PRICE = 112_045_541_949_572_279_837_463_876_454n

/**
 * [lower, upper, units of each token]: one wide position, narrow ones around the price, and some with gaps in between.
 */
const POSITIONS = [
  [-60_000, 60_000, 1000n],
  [6840, 7020, 300n],
  [6900, 6960, 50n],
  [7080, 7500, 700n],
  [-1200, 6600, 900n],
  [6600, 7200, 10n],
] as const

/** One version of Algebra on a local chain, with liquidity in one pool of the wrapped coin and a stablecoin. */
export interface AlgebraScene {
  chain: LocalChain
  algebra: Algebra
  tokens: readonly [Contract, Contract]
  pool: Contract
  deployment: Deployment
  enqueueSwap(zeroForOne: boolean, amountIn: bigint): Promise<Hex>
  swap(zeroForOne: boolean, amountIn: bigint): Promise<Receipt>
  enqueueMint(lower: number, upper: number, units: bigint): Promise<Hex>
  /** Removes half of the liquidity of a position; positions count from 1. */
  burnHalf(position: number): Promise<Receipt>
  /** Returns the real Quoter's result at the latest block. */
  quoted(zeroForOne: boolean, amountIn: bigint): Promise<bigint>
}

export async function openAlgebraScene(kind: AlgebraKind): Promise<AlgebraScene> {
  const chain = await startLocalChain(POLYGON, { anyCodeSize: kind === 'algebra-v1' })
  closeAfter(() => chain.stop())
  const tokens = await deployTokens(chain)
  const [token0, token1] = tokens.map(({ address }) => address) as [Hex, Hex]
  const algebra = await deployAlgebra(chain, kind, token0)
  const { factory, manager, router, quoter, poolArtifact } = algebra
  const deployer = algebra.namesDeployer ? [ZeroAddress] : []
  const data = algebra.namesDeployer ? ['0x'] : []
  for (const token of tokens) {
    for (const spender of [manager, router]) await token.send('approve', spender.address, UNLIMITED)
  }
  await manager.send('createAndInitializePoolIfNecessary', token0, token1, ...deployer, START_PRICE, ...data)
  const [poolAddress] = await factory.call('poolByPair', token0, token1)
  const pool = chain.at(poolAddress.toLowerCase(), poolArtifact)
  const pair = (zeroForOne: boolean) => (zeroForOne ? [token0, token1] : [token1, token0])
  const swapArguments = (zeroForOne: boolean, amountIn: bigint) => [
    [...pair(zeroForOne), ...deployer, chain.account, FOREVER, amountIn, 0, 0],
  ]
  const scene: AlgebraScene = {
    chain,
    algebra,
    tokens,
    pool,
    deployment: deploymentOf(kind, factory, token0, token1),
    enqueueSwap: (zeroForOne, amountIn) => router.enqueue('exactInputSingle', ...swapArguments(zeroForOne, amountIn)),
    swap: (zeroForOne, amountIn) => router.send('exactInputSingle', ...swapArguments(zeroForOne, amountIn)),
    enqueueMint(lower, upper, units) {
      const amounts = [units * ONE, 2n * units * ONE, 0, 0]
      return manager.enqueue('mint', [token0, token1, ...deployer, lower, upper, ...amounts, chain.account, FOREVER])
    },
    async burnHalf(position) {
      const held = await manager.call('positions', position)
      return manager.send('decreaseLiquidity', [position, held.liquidity / 2n, 0, 0, FOREVER])
    },
    quoted: async (zeroForOne, amountIn) =>
      (await quoter.call('quoteExactInputSingle', [...pair(zeroForOne), ...deployer, amountIn, 0]))[0],
  }
  for (const [lower, upper, units] of POSITIONS) await chain.mine([await scene.enqueueMint(lower, upper, units)])
  return scene
}

export async function storedMarket(database: Database): Promise<Market> {
  const rows = await readMarket(openReader(database), 'polygon')
  if (rows === null) throw new Error('the network is not indexed')
  const of = <T extends { pool: Address }>(list: readonly T[], pool: Address) => list.filter((t) => t.pool === pool)
  return createMarket(
    rows.pools.map((pool) => ({
      pool,
      state: of(rows.states, pool.address)[0]?.state ?? null,
      ...(pool.tickSpacing === null ? {} : { ticks: of(rows.ticks, pool.address) }),
    })),
  )
}

/** Returns two tokens, lower address first. The first one stands for the wrapped coin. */
async function deployTokens(chain: LocalChain): Promise<readonly [Contract, Contract]> {
  const artifact: Artifact = createRequire(import.meta.url)('@uniswap/v2-periphery/build/ERC20.json')
  const [a, b] = [await chain.deploy(artifact, SUPPLY), await chain.deploy(artifact, SUPPLY)]
  return a.address < b.address ? [a, b] : [b, a]
}

function deploymentOf(kind: AlgebraKind, factory: Contract, token0: Hex, token1: Hex): Deployment {
  return {
    network: 'polygon',
    wrappedNative: token0,
    stablecoins: [token1],
    anchors: [],
    dexes: [{ name: 'algebra', kind, factory: factory.address }],
    tokens: [],
    finalityDepth: 200,
  }
}
