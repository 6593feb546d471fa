import { createRequire } from 'node:module'
import type { Hex } from '@dexfeed/dex'
import { getCreateAddress, keccak256 } from 'ethers'
import type { Artifact, Contract, LocalChain } from './local-chain.ts'

/** One version of Algebra with its routers, made from the contracts in its npm packages. */
export interface Algebra {
  factory: Contract
  manager: Contract
  router: Contract
  quoter: Contract
  poolArtifact: Artifact
  deployPeriphery(path: string): Promise<Contract>
  /** Whether a pool's deployer is given with its tokens, as in Integral. The zero address means none. */
  namesDeployer: boolean
}

export const ALGEBRA_KINDS = ['algebra-v1', 'algebra-v1.9', 'algebra-integral'] as const
export type AlgebraKind = (typeof ALGEBRA_KINDS)[number]

const load = createRequire(import.meta.url)
const PACKAGES: Record<AlgebraKind, { core: string; periphery: string }> = {
  'algebra-v1': { core: '@cryptoalgebra/core', periphery: 'algebra-v1-periphery' },
  'algebra-v1.9': { core: 'algebra-v1.9-core', periphery: 'algebra-v1.9-periphery' },
  'algebra-integral': { core: '@cryptoalgebra/integral-core', periphery: '@cryptoalgebra/integral-periphery' },
}

/** The hash of QuickSwap's pool, which V1's contracts contain. The package's pool has another hash. */
const V1_POOL_HASH = '6ec6c9c8091d160c0aa74b2b14ba9c1717e95093bd3ac085cee99a49aab294a4'

export async function deployAlgebra(chain: LocalChain, kind: AlgebraKind, wrappedNative: Hex): Promise<Algebra> {
  const core = (path: string) => artifactOf(kind, 'core', path)
  const periphery = (path: string) => artifactOf(kind, 'periphery', path)
  const { factory, deployer } = await deployFactory(chain, kind, core)
  const shared = [factory.address, wrappedNative]
  const deployPeriphery = (path: string) => chain.deploy(periphery(path), ...shared, deployer.address)
  return {
    factory,
    manager: await chain.deploy(periphery('NonfungiblePositionManager'), ...shared, chain.account, deployer.address),
    router: await deployPeriphery('SwapRouter'),
    quoter: await deployPeriphery('lens/QuoterV2'),
    deployPeriphery,
    poolArtifact: core('AlgebraPool'),
    namesDeployer: kind === 'algebra-integral',
  }
}

export function artifactOf(kind: AlgebraKind, part: 'core' | 'periphery', path: string): Artifact {
  const name = path.split('/').at(-1)
  const { abi, bytecode }: Artifact = load(`${PACKAGES[kind][part]}/artifacts/contracts/${path}.sol/${name}.json`)
  if (kind !== 'algebra-v1' || path === 'AlgebraPool') return { abi, bytecode }
  const poolHash = keccak256(artifactOf(kind, 'core', 'AlgebraPool').bytecode).slice(2)
  return { abi, bytecode: bytecode.replace(V1_POOL_HASH, poolHash) }
}

/**
 * Deploys a factory and a pool deployer that know each other. V1 has a setter for this; later versions use precomputed
 * addresses.
 */
async function deployFactory(chain: LocalChain, kind: AlgebraKind, core: (path: string) => Artifact) {
  if (kind === 'algebra-v1') {
    const deployer = await chain.deploy(core('AlgebraPoolDeployer'))
    const factory = await chain.deploy(core('AlgebraFactory'), deployer.address, chain.account)
    await deployer.send('setFactory', factory.address)
    return { factory, deployer }
  }
  const foreseen = getCreateAddress({ from: chain.account, nonce: (await chain.nonce()) + 1 })
  const vault = kind === 'algebra-v1.9' ? [getCreateAddress({ from: foreseen, nonce: 1 })] : []
  const deployer = await chain.deploy(core('AlgebraPoolDeployer'), foreseen, ...vault)
  return { factory: await chain.deploy(core('AlgebraFactory'), deployer.address), deployer }
}
