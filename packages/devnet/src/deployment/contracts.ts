import { createRequire } from 'node:module'
import type { Address, Hex } from '@dexfeed/dex'
import { Interface, type JsonFragment } from 'ethers'
import devRouter from '../../contracts/artifacts/DevRouter.json' with { type: 'json' }
import devToken from '../../contracts/artifacts/DevToken.json' with { type: 'json' }
import forger from '../../contracts/artifacts/Forger.json' with { type: 'json' }
import multicall3 from '../../contracts/artifacts/Multicall3.json' with { type: 'json' }
import pancakePoolDeployer from '../../contracts/artifacts/PancakePoolDeployer.json' with { type: 'json' }
import priceKeeper from '../../contracts/artifacts/PriceKeeper.json' with { type: 'json' }
import type { Artifact } from '../node/session.ts'
import type { PlannedDexKind, PlannedToken } from './network-plan.ts'

export type Artifacts = ReturnType<typeof loadArtifacts>

export function loadArtifacts() {
  return {
    weth9: fromNpm('canonical-weth/build/contracts/WETH9.json'),
    v2Factory: fromNpm('@uniswap/v2-core/build/UniswapV2Factory.json'),
    v2Pair: fromNpm('@uniswap/v2-core/build/UniswapV2Pair.json'),
    v2Router: fromNpm('@uniswap/v2-periphery/build/UniswapV2Router02.json'),
    v3Factory: fromNpm('@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json'),
    v3Pool: fromNpm('@uniswap/v3-core/artifacts/contracts/UniswapV3Pool.sol/UniswapV3Pool.json'),
    positionManager: fromNpm(v3Periphery('NonfungiblePositionManager', '.')),
    swapRouter: fromNpm(v3Periphery('SwapRouter', '.')),
    quoterV2: fromNpm(v3Periphery('QuoterV2', 'lens')),
    pancakeFactory: fromNpm('@pancakeswap/v3-core/artifacts/contracts/PancakeV3Factory.sol/PancakeV3Factory.json'),
    pancakePool: fromNpm('@pancakeswap/v3-core/artifacts/contracts/PancakeV3Pool.sol/PancakeV3Pool.json'),
    devRouter: artifact(devRouter),
    devToken: artifact(devToken),
    forger: artifact(forger),
    pancakePoolDeployer: artifact(pancakePoolDeployer),
    priceKeeper: artifact(priceKeeper),
    multicall3Code: multicall3.deployedBytecode,
  }
}

function v3Periphery(name: string, folder: string): string {
  const path = folder === '.' ? `${name}.sol` : `${folder}/${name}.sol`
  return `@uniswap/v3-periphery/artifacts/contracts/${path}/${name}.json`
}

function fromNpm(path: string): Artifact {
  return artifact(createRequire(import.meta.url)(path) as { abi: readonly JsonFragment[]; bytecode: string })
}

function artifact({ abi, bytecode }: { abi: readonly JsonFragment[]; bytecode: string }): Artifact {
  return { abi: new Interface(abi), bytecode: bytecode.startsWith('0x') ? (bytecode as Hex) : `0x${bytecode}` }
}

export interface DevnetToken extends PlannedToken {
  address: Address
  aliases?: readonly string[]
}

export interface DevnetPool {
  address: Address
  dex: string
  kind: PlannedDexKind
  token0: Address
  token1: Address
  /** In millionths. */
  fee: number
  tickSpacing: number | null
  usd: number
}

interface UniswapV3Periphery {
  positionManager: Address
  swapRouter: Address
  quoterV2: Address
}

export interface DevnetContracts {
  wrappedNative: Address
  multicall3: Address | null
  factories: Readonly<Record<string, Address>>
  v2Router: Address
  uniswapV3: UniswapV3Periphery | null
  /** Calls pools of every kind; its `quote` works for any route. */
  devRouter: Address
  priceKeeper: Address
  /** Emits pool events, though no factory made it. */
  forger: Address
  /** The wrapped coin comes first. */
  tokens: readonly DevnetToken[]
  pools: readonly DevnetPool[]
}

export type Venues = Omit<DevnetContracts, 'tokens' | 'pools' | 'forger'>

export interface DevnetAccounts {
  deployer: Address
  keeper: Address
  traders: readonly Address[]
}
