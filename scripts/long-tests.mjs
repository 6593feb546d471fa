import { reachedFrom, readSources } from './read-sources.mjs'

/** Returns the tests of `npm run test:long`: `*.long.test.ts`, and random tests, which draw more cases there. */
export function longTests(root) {
  const { files } = readSources(root)
  const importsOf = (file) => files.get(file).imports.flatMap(({ target }) => (files.has(target) ? [target] : []))
  const isScaled = (file) => files.get(file).code.includes("inject('scale')")
  return [...files.keys()].filter(
    (path) =>
      path.endsWith('.long.test.ts') ||
      (path.endsWith('.test.ts') && [path, ...reachedFrom(path, importsOf)].some(isScaled)),
  )
}
