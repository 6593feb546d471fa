import { DEX_KINDS, type DexKind } from './pool.ts'
import { protocolOf } from './protocols/registry.ts'

/** The kinds whose pools are read; entries of the others are told in a warning and left out. */
export const READABLE_KINDS: readonly DexKind[] = DEX_KINDS.filter((kind) => protocolOf(kind) !== null)
