import type { FormulaName } from '../../pool-state.ts'
import { balancerV2Stable } from './balancer/v2-stable.ts'
import { balancerV2Weighted } from './balancer/v2-weighted.ts'
import { balancerV3Buffer } from './balancer/v3-buffer.ts'
import { balancerV3Stable } from './balancer/v3-stable.ts'
import { balancerV3Weighted } from './balancer/v3-weighted.ts'
import { infinityBin } from './bins/infinity-bin.ts'
import { liquidityBook } from './bins/liquidity-book.ts'
import { CURVE_STABLE } from './curve/curve-stable.ts'
import { LISTA_STABLE } from './curve/lista-stable.ts'
import { cryptoPools } from './curve-crypto/crypto-pools.ts'
import { dodo } from './dodo/dodo.ts'
import { fluidFormula } from './fluid/fluid.ts'
import { fluidLiteFormula } from './fluid/fluid-lite.ts'
import type { FormulaKind } from './formula.ts'
import { psm } from './psm.ts'
import { stablePair } from './solidly/stable-pair.ts'
import { volatilePair } from './solidly/volatile-pair.ts'

/** To add a kind of maths: its file, its name among the formulas, and a line here. */
const FORMULAS: Readonly<Record<FormulaName, FormulaKind>> = {
  'curve-stable': CURVE_STABLE,
  'lista-stable': LISTA_STABLE,
  'curve-crypto': cryptoPools,
  psm,
  'stable-pair': stablePair,
  'volatile-pair': volatilePair,
  dodo,
  'fluid-lite': fluidLiteFormula,
  fluid: fluidFormula,
  'infinity-bin': infinityBin,
  'liquidity-book': liquidityBook,
  'balancer-v2-weighted': balancerV2Weighted,
  'balancer-v2-stable': balancerV2Stable,
  'balancer-v3-weighted': balancerV3Weighted,
  'balancer-v3-stable': balancerV3Stable,
  'balancer-v3-buffer': balancerV3Buffer,
  'not-quoted': { of: () => null, work: 0 },
}

export function formulaKind(name: FormulaName): FormulaKind {
  return FORMULAS[name]
}
