/**
 * Returns a value that the caller knows to exist but the compiler does not. A default value would hide an error.
 *
 * @throws RangeError if it does not exist; in a formula this counts as a revert (`orNull`)
 */
export function present<Value>(value: Value | null | undefined): Value {
  if (value === undefined || value === null) throw new RangeError('a value that must exist is missing')
  return value
}
