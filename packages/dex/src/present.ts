/**
 * Returns a value that exists, as the code around knows and the compiler cannot. A made-up default would hide an error.
 *
 * @throws RangeError if it does not exist; in a formula this counts as a revert (`orNull`)
 */
export function present<Value>(value: Value | null | undefined): Value {
  if (value === undefined || value === null) throw new RangeError('a value that must exist is missing')
  return value
}
