import { expect, it } from 'vitest';
import { isPublicAddress } from '../../lambdas/platform/fetch/public-address.ts';
import { readPublicUrl, resolvePublicUrl } from '../../lambdas/platform/fetch/public-url.ts';

it.each([
  '8.8.8.8',
  '1.1.1.1',
  '172.15.255.255',
  '172.32.0.1',
  '100.63.255.255',
  '100.128.0.1',
  '2606:4700:4700::1111',
  '2a00:1450:4010::64',
])('the address %s is public', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

it.each([
  ['unspecified', '0.0.0.0', '::'],
  ['this network', '0.1.2.3', '0.255.255.255'],
  ['private', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fd12:3456::1'],
  ['shared by carriers', '100.64.0.1', '100.127.255.255', '100.100.100.200'],
  ['loopback', '127.0.0.1', '127.255.255.254', '::1'],
  ['link-local', '169.254.0.1', 'fe80::1', 'fe80::1%eth0', 'febf::1'],
  ['metadata of clouds', '169.254.169.254', 'fd00:ec2::254', '168.63.129.16', '192.0.0.192'],
  ['protocol assignments', '192.0.0.1', '192.88.99.1', '2001:1::1'],
  ['documentation', '192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
  ['benchmark', '198.18.0.1', '198.19.255.255', '2001:2::1'],
  ['multicast', '224.0.0.1', '239.255.255.255', 'ff02::1'],
  ['reserved', '240.0.0.1', '255.255.255.255', '4000::1', 'fec0::1', '100::1', '5f00::1'],
  ['IPv4 inside', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::ffff:7f00:1', '::127.0.0.1', '::ffff:0:10.0.0.1'],
  ['NAT64', '64:ff9b::7f00:1', '64:ff9b::808:808', '64:ff9b:1::a00:1'],
  ['6to4 and Teredo', '2002:7f00:1::1', '2002:a9fe:a9fe::', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  ['no address', '', 'localhost', '1.2.3', '256.1.1.1', '1.2.3.4.5', '[::1]'],
])('the address is not public: %s', (_kind, ...addresses) => {
  expect(addresses.filter(isPublicAddress)).toEqual([]);
});

it.each([
  'https://2130706433/',
  'https://0x7f000001/',
  'https://0177.0.0.1/',
  'https://127.1/',
  'https://0x7f.1/',
  'https://①②⑦.0.0.1/',
  'https://[::1]/',
  'https://[::ffff:7f00:1]/',
  'https://[fd00:ec2::254]/latest/meta-data/',
  'https://169.254.169.254/latest/meta-data/',
])('%s is an address that is not public, in any notation', async (text) => {
  expect(await resolvePublicUrl(text, {})).toBe('not_public');
});

it.each([
  ['', 'not_a_url'],
  ['pictures/cat.png', 'not_a_url'],
  ['https://', 'not_a_url'],
  ['https://256.256.256.256/', 'not_a_url'],
  ['http://x.example/', 'not_https'],
  ['ftp://x.example/', 'not_https'],
  ['file:///etc/passwd', 'not_https'],
  ['data:image/png;base64,AAAA', 'not_https'],
  ['https://me:secret@x.example/', 'userinfo'],
  ['https://me@x.example/', 'userinfo'],
  ['https://x.example:8443/', 'port'],
  ['https://x.example:80/', 'port'],
])('the URL %s is refused as %s', (text, fault) => {
  expect(readPublicUrl(text, {})).toBe(fault);
});

it('a URL of more than 4,096 characters is refused', () => {
  expect(readPublicUrl(`https://x.example/${'a'.repeat(4_096)}`, {})).toBe('not_a_url');
});

it('a host is accepted only if all of its addresses are public', async () => {
  const hosts: Record<string, string[]> = {
    'good.example': ['8.8.8.8', '2606:4700:4700::1111'],
    'half.example': ['8.8.8.8', '10.0.0.1'],
    'none.example': [],
  };
  const lookup = async (host: string) => {
    const addresses = hosts[host];
    if (!addresses) throw new Error('ENOTFOUND');
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };

  expect(await resolvePublicUrl('https://good.example:443/a', { lookup })).toMatchObject({
    addresses: [{ address: '8.8.8.8' }, { address: '2606:4700:4700::1111' }],
  });
  expect(await resolvePublicUrl('https://half.example/', { lookup })).toBe('not_public');
  expect(await resolvePublicUrl('https://none.example/', { lookup })).toBe('unresolved');
  expect(await resolvePublicUrl('https://unknown.example/', { lookup })).toBe('unresolved');
});

it('http, other ports and this machine, but no other network, are accepted for a gateway on one machine', async () => {
  const rules = { allowLoopback: true };

  expect(await resolvePublicUrl('http://127.0.0.1:8080/', rules)).toMatchObject({ addresses: [{ family: 4 }] });
  expect(await resolvePublicUrl('http://[::1]:8080/', rules)).toMatchObject({ addresses: [{ family: 6 }] });
  expect(await resolvePublicUrl('http://10.0.0.1/', rules)).toBe('not_public');
  expect(await resolvePublicUrl('http://169.254.169.254/', rules)).toBe('not_public');
  expect(await resolvePublicUrl('http://8.8.8.8/', rules)).toBe('not_public');
});
