import { coins, type ExpectedEvents, exchanged, lower } from '../../../test/random/expected-events.ts'

const swapOf = (ptOut: bigint, syOut: bigint, receiver: string) => {
  if (ptOut * syOut >= 0n) return null
  const [sold, bought] = coins(ptOut > 0n)
  const exchange =
    ptOut > 0n ? exchanged('pendle', sold, -syOut, bought, ptOut) : exchanged('pendle', sold, -ptOut, bought, syOut)
  return { ...exchange, recipient: lower(receiver) }
}

export const EXPECTED_EVENTS: ExpectedEvents = {
  pendle: { Swap: (args) => swapOf(args.netPtOut, args.netSyOut, args.receiver) },
}
