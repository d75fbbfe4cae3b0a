import { expect } from 'chai'
import type { Issued } from '../../../certs/issue.ts'
import { close, listen } from '../../../common/program/listen.ts'
import { namesOf, requireClientName } from '../../../webhook/http/client-certificate.ts'
import { admissionApp } from '../../../webhook/http/server.ts'
import { tlsServer } from '../../../webhook/tls/server.ts'
import { diaryLog } from '../../virtual-time.ts'
import { allow, defaults } from '../asking.ts'
import { aPair } from '../pairs.ts'
import { aReview } from '../reviews.ts'
import { post, withAgent } from '../tls-asking.ts'
import { aCallerAuthority } from './client-certificates.ts'

describe('namesOf', () => {
  const cases: Record<string, readonly [subject: string, alternatives: string | undefined, names: readonly string[]]> =
    {
      'common names': ['O=system:masters\nCN=kube-apiserver', undefined, ['kube-apiserver']],
      'alternative names': ['', 'DNS:a.b, URI:spiffe://x/y, IP Address:10.0.0.1', ['a.b', 'spiffe://x/y', '10.0.0.1']],
      'no name in the middle of another name': [
        '',
        'DNS:"x, DNS:kube-apiserver, y", DNS:z',
        ['"x, DNS:kube-apiserver, y"', 'z'],
      ],
    }
  for (const [what, [subject, subjectAltName, names]] of Object.entries(cases))
    it(`finds ${what}`, () => {
      expect(namesOf({ subject, subjectAltName })).to.deep.equal(names)
    })
})

describe('requireClientName', () => {
  let pair: Issued | undefined
  let authority: Awaited<ReturnType<typeof aCallerAuthority>> | undefined
  before('a pair and an authority', async () => {
    ;[pair, authority] = await Promise.all([aPair(), aCallerAuthority()])
  })

  /** Status, or the error, of a call with `certificate`. */
  async function asked(certificate: { readonly cert?: string; readonly key?: string } = {}) {
    if (!pair || !authority) throw new Error('made before the tests')
    const app = admissionApp({
      mutate: defaults,
      validate: allow,
      log: diaryLog(),
      guards: [requireClientName(['kube-apiserver', 'api.internal'])],
    })
    const server = tlsServer(app, { ...pair, clientCa: authority.ca })
    const port = await listen(server, 0, '127.0.0.1')
    const { ca } = pair
    try {
      return await withAgent({ ca, ...certificate }, async (agent) => {
        const { status, text } = await post(port, agent, JSON.stringify(aReview()))
        return status === 200 ? status : `${status} ${text.trim()}`
      })
    } catch (error) {
      return error instanceof Error ? error.message : error
    } finally {
      await close(server)
    }
  }

  it('accepts a certificate with one of the names, in either place', async () => {
    expect(await asked(await authority?.caller({ commonName: 'kube-apiserver' }))).to.equal(200)
    expect(await asked(await authority?.caller({ commonName: 'x', dnsNames: ['y', 'api.internal'] }))).to.equal(200)
  })
  it('rejects a certificate of the same authority with other names', async () => {
    expect(await asked(await authority?.caller({ commonName: 'kubelet', dnsNames: ['kube-apiserver.evil'] }))).to.equal(
      '403 the client certificate has none of the names in CLIENT_NAMES',
    )
  })
  it('fails the handshake without a certificate, or with one of another authority', async () => {
    expect(await asked()).to.match(/certificate required/)
    const { caller } = await aCallerAuthority()
    expect(await asked(await caller({ commonName: 'kube-apiserver' }))).to.match(/alert|ECONNRESET|hang up/)
  })
})
