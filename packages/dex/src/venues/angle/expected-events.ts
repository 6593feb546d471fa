import { type ExpectedEvents, settled } from '../../../test/random/expected-events.ts'

export const EXPECTED_EVENTS: ExpectedEvents = {
  angle: { Swap: (args) => settled('angle', args.tokenIn, args.amountIn, args.tokenOut, args.amountOut) },
}
