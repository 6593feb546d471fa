import { revert, revertUnless, uint } from '../../../maths/integers.ts'
import { present } from '../../../present.ts'
import { hasConverged } from '../stable/stable-invariant.ts'
import { A_MULTIPLIER, type Invariant } from './invariant.ts'

const MAX_STEPS = 255

/** StableswapMath 0.1.0: the StableSwap curve of Twocrypto pools from 2.1.0d on, which ignores gamma. */
export const TWOCRYPTO_STABLE: Invariant = {
  coins: 2,
  balanceOf({ A }, balances, D, index) {
    const otherBalance = present(balances[1 - index])
    const Ann = uint(A * 2n)
    const first = uint(D * D) / uint(otherBalance * 2n)
    const c = uint(uint(first * D) * A_MULTIPLIER) / uint(Ann * 2n)
    const b = uint(otherBalance + uint(D * A_MULTIPLIER) / Ann)
    let balance = D
    for (let step = 0; step < MAX_STEPS; step++) {
      const before = balance
      balance = uint(balance * balance + c) / uint(uint(2n * balance + b) - D)
      if (hasConverged(balance, before)) return balance
    }
    revert()
  },
  invariantOf({ A }, balances) {
    const [first = 0n, second = 0n] = balances
    const S = uint(first + second)
    const Ann = uint(A * 2n)
    let D = S
    for (let step = 0; step < MAX_STEPS; step++) {
      const before = D
      const product = uint(uint((uint(D * D) / first) * D) / second / 4n)
      const above = uint(uint(uint(Ann * S) / A_MULTIPLIER + product * 2n) * D)
      D = above / uint(uint(uint(Ann - A_MULTIPLIER) * D) / A_MULTIPLIER + 3n * product)
      if (hasConverged(D, before)) return D
    }
    revert()
  },
  rate({ A }, balances, D, from, to) {
    const sold = Number(present(balances[from]))
    const bought = Number(present(balances[to]))
    const amplified = (Number(A) * 2) / Number(A_MULTIPLIER)
    const product = (Number(D) / 4) * (Number(D) / sold) * (Number(D) / bought)
    return (amplified + product / sold) / (amplified + product / bought)
  },
}

/** StableswapMath 0.1.1: does not compute D if one balance is 10,000 times the other. */
export const TWOCRYPTO_STABLE_0_1_1: Invariant = {
  ...TWOCRYPTO_STABLE,
  invariantOf(shape, balances) {
    const [first = 0n, second = 0n] = balances
    const [small, large] = first < second ? [first, second] : [second, first]
    revertUnless(small > 0n && large / small < 10_000n)
    return TWOCRYPTO_STABLE.invariantOf(shape, balances)
  },
}
