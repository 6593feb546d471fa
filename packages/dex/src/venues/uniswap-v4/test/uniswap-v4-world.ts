import { createRequire } from 'node:module'
import { AbiCoder, keccak256, ZeroAddress } from 'ethers'
import { type Artifact, type Contract, type LocalChain, startLocalChain } from '../../../../test/local-chain.ts'
import type { Address, Hex, Log } from '../../../chain.ts'
import { getSqrtRatioAtTick, MAX_SQRT_RATIO, MIN_SQRT_RATIO } from '../../../maths/tick-math.ts'
import type { PoolAddress } from '../../../pool.ts'

const load = createRequire(import.meta.url)
const fixture = (name: string): Artifact => load(`./artifacts/${name}.json`)
const PLENTY = 2n ** 120n
const NO_SALT = `0x${'00'.repeat(32)}`
const MODIFY_LIQUIDITY = 'modifyLiquidity((address,address,uint24,int24,address),(int24,int24,int256,bytes32),bytes)'
const MULTICALL = 'contracts/lens/UniswapInterfaceMulticall.sol/UniswapInterfaceMulticall'
const GAS_EACH = 20_000_000n

interface CoreArtifact {
  abi: unknown
  bytecode: { object: string }
  deployedBytecode: { object: string }
}
const core = (path: string): CoreArtifact => load(`@uniswap/v4-core/out/${path}.json`)
const coreArtifact = (path: string): Artifact => {
  const { abi, bytecode } = core(path)
  return { abi, bytecode: bytecode.object }
}

export interface V4Key {
  currency0: Address
  currency1: Address
  fee: number
  tickSpacing: number
  hooks: Address
}

/** Uniswap V4 on a local chain: the real PoolManager, its test routers, V4Quoter, PositionManager. */
export interface V4World {
  chain: LocalChain
  manager: Contract
  positionManager: Contract
  /** Sorted by address; each has 18 decimals. */
  tokens: readonly [Address, Address, Address]
  /** Hooks without effect, whose address declares that they are called before swaps. */
  hooks: Address
  key(currency0: Address, currency1: Address, fee: number, tickSpacing: number, hooks?: Address): V4Key
  poolOf(key: V4Key): PoolAddress
  initialize(key: V4Key, tick: number): Promise<void>
  provide(key: V4Key, tickLower: number, tickUpper: number, liquidity: bigint): Promise<void>
  provideNative(key: V4Key, tickLower: number, tickUpper: number, liquidity: bigint): Promise<void>
  swap(key: V4Key, zeroForOne: boolean, amountIn: bigint): Promise<string>
  /** Adds liquidity, sells there and back, and removes the liquidity, all in one transaction. */
  swapInPassing(key: V4Key, ticks: readonly [number, number], liquidity: bigint, amountIn: bigint): Promise<string>
  swapAlong(path: readonly (readonly [V4Key, boolean])[], amountIn: bigint): Promise<string>
  quote(key: V4Key, zeroForOne: boolean, amountIn: bigint): Promise<bigint>
  /** Sets the protocol's share of swaps that pay token0 and token1, in millionths. */
  setProtocolFee(key: V4Key, ofToken0: number, ofToken1: number): Promise<void>
  logsOf(txHash: string): Promise<Log[]>
  read(call: { to: Address; data: Hex }): Promise<Hex | null>
}

export async function startV4World(chainId?: number): Promise<V4World> {
  const chain = await startLocalChain(chainId)
  const manager = await chain.deploy(coreArtifact('PoolManager.sol/PoolManager'), chain.account)
  const testRouter = (name: string) => chain.deploy(coreArtifact(`${name}.sol/${name}`), manager.address)
  const [liquidityRouter, swapRouter] = [await testRouter('PoolModifyLiquidityTest'), await testRouter('PoolSwapTest')]
  const pathRouter = await chain.deploy(fixture('PathRouter'), manager.address)
  const quoter = await chain.deploy(fixture('V4Quoter'), manager.address)
  const multicall = await chain.deploy(load(`@uniswap/v3-periphery/artifacts/${MULTICALL}.json`))
  const positions = [manager.address, ZeroAddress, 300_000, ZeroAddress, ZeroAddress]
  const positionManager = await chain.deploy(fixture('PositionManager'), ...positions)
  const tokens = await makeTokens(chain, [liquidityRouter, swapRouter, pathRouter])
  const hooks: Address = `0x${'40'.repeat(18)}0080`
  await chain.rpc('anvil_setCode', [hooks, core('EmptyTestHooks.sol/EmptyTestHooks').deployedBytecode.object])
  await manager.send('setProtocolFeeController', chain.account)
  const coinsOf = ({ currency0 }: V4Key, amount: bigint) => (currency0 === ZeroAddress ? amount : 0n)

  return {
    chain,
    manager,
    positionManager,
    tokens,
    hooks,
    key: (currency0, currency1, fee, tickSpacing, hooked = ZeroAddress as Address) => {
      return { currency0, currency1, fee, tickSpacing, hooks: hooked }
    },
    poolOf: (key) => `${manager.address.toLowerCase() as Address}${keccak256(encodeKey(key)).slice(2)}`,
    async initialize(key, tick) {
      await manager.send('initialize', key, getSqrtRatioAtTick(tick) + 12_345n)
    },
    async provide(key, tickLower, tickUpper, liquidityDelta) {
      const params = { tickLower, tickUpper, liquidityDelta, salt: NO_SALT }
      const value = liquidityDelta > 0n ? coinsOf(key, 10n ** 21n) : 0n
      await liquidityRouter.pay(value, MODIFY_LIQUIDITY, key, params, '0x')
    },
    provideNative: (key, ...range) => mintPosition(positionManager, chain.account, key, ...range),
    swap: (key, zeroForOne, amountIn) => {
      const params = { zeroForOne, amountSpecified: -amountIn, sqrtPriceLimitX96: limit(zeroForOne) }
      const value = zeroForOne ? coinsOf(key, amountIn) : 0n
      return swapRouter.pay(value, 'swap', key, params, { takeClaims: false, settleUsingBurn: false }, '0x')
    },
    swapInPassing: (...passing) => swapInPassing(chain, { multicall, liquidityRouter, swapRouter }, ...passing),
    swapAlong: (path, amountIn) => {
      const [[first, forwards] = []] = path
      const value = first !== undefined && forwards ? coinsOf(first, amountIn) : 0n
      return pathRouter.pay(
        value,
        'swap',
        path.map(([key]) => key),
        path.map(([, way]) => way),
        amountIn,
      )
    },
    async quote(poolKey, zeroForOne, exactAmount) {
      const [out] = await quoter.call('quoteExactInputSingle', { poolKey, zeroForOne, exactAmount, hookData: '0x' })
      return BigInt(out)
    },
    async setProtocolFee(key, ofToken0, ofToken1) {
      await manager.send('setProtocolFee', key, ofToken0 + (ofToken1 << 12))
    },
    logsOf: (txHash) => readLogs(chain, txHash),
    async read({ to, data }) {
      const reply = await chain.rpc('eth_call', [{ to, data }, 'latest']).catch(() => null)
      return typeof reply === 'string' && reply.length > 2 ? (reply as Hex) : null
    },
  }
}

function limit(zeroForOne: boolean): bigint {
  return zeroForOne ? MIN_SQRT_RATIO + 1n : MAX_SQRT_RATIO - 1n
}

async function swapInPassing(
  chain: LocalChain,
  { multicall, liquidityRouter, swapRouter }: Record<'multicall' | 'liquidityRouter' | 'swapRouter', Contract>,
  key: V4Key,
  [tickLower, tickUpper]: readonly [number, number],
  liquidity: bigint,
  amountIn: bigint,
): Promise<string> {
  const modify = (liquidityDelta: bigint) =>
    callTo(liquidityRouter, MODIFY_LIQUIDITY, key, { tickLower, tickUpper, liquidityDelta, salt: NO_SALT }, '0x')
  const sell = (zeroForOne: boolean) => {
    const params = { zeroForOne, amountSpecified: -amountIn, sqrtPriceLimitX96: limit(zeroForOne) }
    return callTo(swapRouter, 'swap', key, params, { takeClaims: false, settleUsingBurn: false }, '0x')
  }
  const artifact = coreArtifact('mocks/MockERC20.sol/MockERC20')
  const tokens = [key.currency0, key.currency1].map((address) => chain.at(address, artifact))
  for (const token of tokens) await token.send('mint', multicall.address, PLENTY)
  const approvals = tokens.flatMap((token) =>
    [liquidityRouter, swapRouter].map((spender) => callTo(token, 'approve', spender.address, PLENTY)),
  )
  const calls = [...approvals, modify(liquidity), sell(true), sell(false), modify(-liquidity)]
  return multicall.pay(0n, 'multicall', calls)
}

function callTo({ address, encode }: Contract, method: string, ...args: unknown[]) {
  return { target: address, gasLimit: GAS_EACH, callData: encode(method, ...args) }
}

function encodeKey({ currency0, currency1, fee, tickSpacing, hooks }: V4Key): string {
  const types = ['address', 'address', 'uint24', 'int24', 'address']
  return AbiCoder.defaultAbiCoder().encode(types, [currency0, currency1, fee, tickSpacing, hooks])
}

async function makeTokens(chain: LocalChain, spenders: readonly Contract[]): Promise<[Address, Address, Address]> {
  const artifact = coreArtifact('mocks/MockERC20.sol/MockERC20')
  const made: Contract[] = []
  for (let index = 0; index < 3; index++) {
    const token = await chain.deploy(artifact, `Token ${index}`, `T${index}`, 18)
    await token.send('mint', chain.account, PLENTY)
    for (const spender of spenders) await token.send('approve', spender.address, 2n ** 256n - 1n)
    made.push(token)
  }
  return made.map(({ address }) => address.toLowerCase()).sort() as [Address, Address, Address]
}

/** MINT_POSITION, CLOSE_CURRENCY of both, SWEEP. Afterwards the position manager knows the pool's key. */
async function mintPosition(
  positionManager: Contract,
  account: string,
  key: V4Key,
  tickLower: number,
  tickUpper: number,
  liquidity: bigint,
): Promise<void> {
  const abi = AbiCoder.defaultAbiCoder()
  const keyType = 'tuple(address currency0,address currency1,uint24 fee,int24 tickSpacing,address hooks)'
  const mint = [key, tickLower, tickUpper, liquidity, PLENTY, PLENTY, account, '0x']
  const parameters = [
    abi.encode([keyType, 'int24', 'int24', 'uint256', 'uint128', 'uint128', 'address', 'bytes'], mint),
    abi.encode(['address'], [key.currency0]),
    abi.encode(['address'], [key.currency1]),
    abi.encode(['address', 'address'], [key.currency0, account]),
  ]
  const actions = '0x02121214'
  const unlockData = abi.encode(['bytes', 'bytes[]'], [actions, parameters])
  await positionManager.pay(10n ** 20n, 'modifyLiquidities', unlockData, 2n ** 60n)
}

async function readLogs(chain: LocalChain, txHash: string): Promise<Log[]> {
  const receipt = (await chain.rpc('eth_getTransactionReceipt', [txHash])) as {
    logs: { address: Address; topics: Hex[]; data: Hex; transactionIndex: Hex; logIndex: Hex }[]
  }
  return receipt.logs.map(({ transactionIndex, logIndex, ...log }) => {
    return { ...log, transactionIndex: Number(transactionIndex), logIndex: Number(logIndex) }
  })
}
