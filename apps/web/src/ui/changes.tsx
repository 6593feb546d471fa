import { Change } from './figures.tsx'

interface Changing {
  price_change_5m: string | null
  price_change_1h: string | null
  price_change_6h: string | null
  price_change_24h: string | null
}

export function Changes({ of }: { of: Changing }) {
  const ages = [
    ['5 minutes', of.price_change_5m],
    ['1 hour', of.price_change_1h],
    ['6 hours', of.price_change_6h],
    ['24 hours', of.price_change_24h],
  ] as const
  return (
    <>
      {ages.map(([age, percent]) => (
        <div key={age}>
          <dt>Price, {age}</dt>
          <dd>
            <Change percent={percent} />
          </dd>
        </div>
      ))}
    </>
  )
}
