import { getCreate2Address, solidityPackedKeccak256 } from 'ethers'
import { expect, test } from 'vitest'
import { readCases, replayCase } from '../../../test/replay-fixture.ts'

/** npm @paraswap/dex-lib 5.0.6, dex/solidly-v3/config. */
const INIT_CODE_HASH = '0xe9b68c5f77858eecac2e651646e208175e9b1359d68d0e14fc69f8c54e5010bf'

test('recorded pools are at the address that the factory gives them for tokens and tick spacing', () => {
  const recorded = readCases('uniswap-v3/fixtures/solidly-v3.json').flatMap(
    (fixtureCase) => replayCase(fixtureCase).hops,
  )
  const pools = recorded.map(({ pool }) => pool).filter(({ dex }) => dex.kind === 'solidly-v3')
  expect(pools).toHaveLength(2)
  for (const { address, dex, token0, token1, tickSpacing } of pools) {
    const types = ['uint256', 'uint256', 'int256']
    const salt = solidityPackedKeccak256(types, [BigInt(token0), BigInt(token1), tickSpacing])
    expect(getCreate2Address(dex.factory, salt, INIT_CODE_HASH).toLowerCase()).toBe(address)
  }
})
