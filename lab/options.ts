/** An option of a command line. */
export interface Option<T> {
  type: 'string' | 'boolean'
  /** @throws if the value is invalid */
  read(given: unknown, name: string): T
}

export const flag: Option<boolean> = { type: 'boolean', read: (given) => given === true }
export const text: Option<string | null> = {
  type: 'string',
  read: (given) => (typeof given === 'string' ? given : null),
}

type Values<O> = { [Name in keyof O]: O[Name] extends Option<infer T> ? T : never }

/** @throws if a value is invalid */
export function readAll<O extends Readonly<Record<string, Option<unknown>>>>(
  options: O,
  given: Readonly<Record<string, unknown>>,
): Values<O> {
  return Object.fromEntries(
    Object.entries(options).map(([name, option]) => [name, option.read(given[name], name)]),
  ) as Values<O>
}

export function choice<T extends string, D extends T | null>(choices: readonly T[], initial: D): Option<T | D> {
  return {
    type: 'string',
    read(given, name) {
      const found = given === undefined ? initial : choices.find((value) => value === given)
      if (found === undefined) throw new Error(`--${name} must be ${choices.join(' or ')}`)
      return found
    },
  }
}

export function number<D extends number | null>(initial: D, from: number, to: number): Option<number | D> {
  return {
    type: 'string',
    read(given, name) {
      if (given === undefined) return initial
      const value = /^\d{1,9}(\.\d{1,6})?$/.test(String(given)) ? Number(given) : Number.NaN
      if (!(value >= from && value <= to)) throw new Error(`--${name} must be a number from ${from} to ${to}`)
      return value
    },
  }
}

export function whole<D extends number | null>(initial: D, from: number, to: number): Option<number | D> {
  const { type, read } = number(initial, from, to)
  return {
    type,
    read(given, name) {
      const value = read(given, name)
      if (value !== null && !Number.isInteger(value)) throw new Error(`--${name} must be a whole number`)
      return value
    },
  }
}
