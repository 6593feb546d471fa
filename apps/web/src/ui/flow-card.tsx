import type { FlowWindow, PoolWithFlow } from '@dexfeed/client'
import type { ComponentChildren } from 'preact'
import { Card } from './card.tsx'
import { choose } from './choice.tsx'
import { Fact } from './fact.tsx'
import { Change, Count, Usd } from './figures.tsx'
import { FlowBar } from './flow.tsx'
import { chosenWindow, WINDOWS, type WindowName } from './windows.ts'

type Moving = Pick<PoolWithFlow, `price_change_${WindowName}` | 'flow'>

/** Shows how the price moved over each window, and who bought and sold in the chosen one. */
export function FlowCard({ of }: { of: Moving }) {
  const age = chosenWindow()
  return (
    <Card title="Buys and sells">
      <fieldset class="windows" aria-label="Time over which trades are counted">
        {WINDOWS.toReversed().map(([each, text]) => (
          <button key={each} type="button" aria-pressed={each === age} onClick={() => choose('window', WINDOWS, each)}>
            {text} <Change percent={of[`price_change_${each}`]} />
          </button>
        ))}
      </fieldset>
      <Sums sums={of.flow[age]} />
    </Card>
  )
}

function Sums({ sums }: { sums: FlowWindow }) {
  return (
    <div class="padded">
      <Versus name="Swaps" bought={sums.buys} sold={sums.sells}>
        {(count) => <Count value={count} />}
      </Versus>
      <Versus name="Volume" bought={sums.buy_volume_usd} sold={sums.sell_volume_usd}>
        {(usd) => <Usd value={usd} />}
      </Versus>
      <Versus name="Traders" bought={sums.buyers} sold={sums.sellers}>
        {(count) => <Count value={count} />}
      </Versus>
    </div>
  )
}

interface VersusProps<Figure> {
  name: string
  bought: Figure | null
  sold: Figure | null
  children: (figure: Figure | null) => ComponentChildren
}

function Versus<Figure extends number | string>({ name, bought, sold, children }: VersusProps<Figure>) {
  return (
    <div class="versus">
      <dl>
        <Fact
          name={
            <>
              {name}, <span class="up">▲ buys</span>
            </>
          }
        >
          {children(bought)}
        </Fact>
        <Fact name={<span class="down">▼ sells</span>}>{children(sold)}</Fact>
      </dl>
      {bought !== null && sold !== null && <FlowBar bought={Number(bought)} sold={Number(sold)} />}
    </div>
  )
}
