import { BlockList, isIP } from 'node:net'

/** IANA's special-purpose registry of IPv4, multicast, and what is reserved. */
const SPECIAL_IPV4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4'],
]
/** Only these are global unicast. Mapped, translated, local and multicast addresses are all outside. */
const GLOBAL_IPV6 = ['2000::/3']
/** Within them: protocol assignments and Teredo, documentation, 6to4, which may lead to private IPv4 addresses. */
const SPECIAL_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

const specialIpv4 = listOf(SPECIAL_IPV4, 'ipv4')
const globalIpv6 = listOf(GLOBAL_IPV6, 'ipv6')
const specialIpv6 = listOf(SPECIAL_IPV6, 'ipv6')

/** Returns whether an IP address is on the public internet. */
export function isPublicAddress(address: string): boolean {
  const [plain = ''] = address.split('%')
  if (isIP(plain) === 4) return !specialIpv4.check(plain, 'ipv4')
  return isIP(plain) === 6 && globalIpv6.check(plain, 'ipv6') && !specialIpv6.check(plain, 'ipv6')
}

function listOf(subnets: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const subnet of subnets) {
    const [net = '', prefix] = subnet.split('/')
    list.addSubnet(net, Number(prefix), family)
  }
  return list
}
