import { getAddress } from 'ethers/address'

/** The EIP-55 form of a lower-case `0x` address. */
export function checksumAddress(address: string): string {
  return getAddress(address)
}

/**
 * Reads an address as a person writes it: any case is fine, but where upper and lower case letters are mixed they must
 * be the EIP-55 checksum. Gives the lower-case address, or null when it is malformed or the checksum is wrong.
 */
export function readAddress(text: string): `0x${string}` | null {
  if (!/^0[xX][0-9a-fA-F]{40}$/.test(text)) return null
  const digits = text.slice(2)
  const lower = digits.toLowerCase()
  const isMixed = digits !== lower && digits !== digits.toUpperCase()
  if (isMixed && checksumAddress(`0x${lower}`).slice(2) !== digits) return null
  return `0x${lower}`
}
