type Rest<First extends readonly unknown[], All extends readonly unknown[]> = All extends readonly [
  ...{ [At in keyof First]: unknown },
  ...infer Others,
]
  ? Others
  : never

type Bound<First extends readonly unknown[], Functions extends Record<string, (...args: never[]) => unknown>> = {
  [Name in keyof Functions]: (...args: Rest<First, Parameters<Functions[Name]>>) => ReturnType<Functions[Name]>
}

/** Returns functions whose first arguments are always these. */
export function bound<
  const First extends readonly unknown[],
  Functions extends Record<string, (...args: [...First, ...never[]]) => unknown>,
>(first: First, functions: Functions): Bound<First, Functions> {
  const entries = Object.entries(functions).map(([name, call]) => [name, (...rest: never[]) => call(...first, ...rest)])
  return Object.fromEntries(entries)
}
