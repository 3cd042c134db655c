/**
 * Certificate authority that no client trusts by default, and a certificate for 127.0.0.1 that it has signed, valid
 * until 2126. The authority's private key was discarded.
 */

import type { RequestListener } from 'node:http';
import { createServer, type Server } from 'node:https';

export const privateAuthority = `-----BEGIN CERTIFICATE-----
MIIBiDCCAS+gAwIBAgIUE/43D7dG1WVeFHsqquv9QLHbvQIwCgYIKoZIzj0EAwIw
GTEXMBUGA1UEAwwOVGVzdCBhdXRob3JpdHkwIBcNMjYxMTIxMjMyMTIyWhgPMjEy
NjEwMjgyMzIxMjJaMBkxFzAVBgNVBAMMDlRlc3QgYXV0aG9yaXR5MFkwEwYHKoZI
zj0CAQYIKoZIzj0DAQcDQgAE6PlJybU4YqPwIUzEB/hOS4Q1E4FJF2o4Qr+5G4T2
0ZkHZVP9NyPIsOcfsLp6CQWB00T3pEjp6xL/8Nw0IypXM6NTMFEwHQYDVR0OBBYE
FP9M2wJeCtjSgTpbNIZWa3DswjRLMB8GA1UdIwQYMBaAFP9M2wJeCtjSgTpbNIZW
a3DswjRLMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDRwAwRAIgOJIta27n
eh1wWGk3xYzZio1OPWLiqLrPi3rMcH7AuDkCIHSG8Nh33ziglL6VJui0CNe5vD4T
b2eKl4Jtv26u91sb
-----END CERTIFICATE-----
`;

const certificate = `-----BEGIN CERTIFICATE-----
MIIBjzCCATWgAwIBAgIUJ3rmyDZnnIxUNFcNKxiAJPyg+N8wCgYIKoZIzj0EAwIw
GTEXMBUGA1UEAwwOVGVzdCBhdXRob3JpdHkwIBcNMjYxMTIxMjMyMTIyWhgPMjEy
NjEwMjgyMzIxMjJaMBQxEjAQBgNVBAMMCTEyNy4wLjAuMTBZMBMGByqGSM49AgEG
CCqGSM49AwEHA0IABBEI6FH4/eC5dlKdL+9TKQ4OSgUnudmmOs3hmz2r86buKsSC
55rJfc0OjLU026nbPKc0/qTSxFG283Ilri6/67WjXjBcMA8GA1UdEQQIMAaHBH8A
AAEwCQYDVR0TBAIwADAdBgNVHQ4EFgQUBDZdykHbB5pg1FuDcMNvftMoQmUwHwYD
VR0jBBgwFoAU/0zbAl4K2NKBOls0hlZrcOzCNEswCgYIKoZIzj0EAwIDSAAwRQIg
A5Ft0tEXcylL/KB6pFmpoRK4j/ZaPdnY2eDMpoSJQRcCIQCaRzeehNfOmao3SDB2
iVMyYmPEpJQdbT+nbdbfQx38KQ==
-----END CERTIFICATE-----
`;

const serverKey = `-----BEGIN EC PRIVATE KEY-----
MHcCAQEEIJXsDcgeYkFVJTQjk3i9B0GsnPDQwd1fEGAvPwWMR1zJoAoGCCqGSM49
AwEHoUQDQgAEEQjoUfj94Ll2Up0v71MpDg5KBSe52aY6zeGbPavzpu4qxILnmsl9
zQ6MtTTbqds8pzT+pNLEUbbzciWuLr/rtQ==
-----END EC PRIVATE KEY-----
`;

export function privateServer(answer: RequestListener): Server {
  return createServer({ cert: certificate, key: serverKey }, answer);
}
