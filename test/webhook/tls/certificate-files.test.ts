import { expect } from 'chai'
import type { Issued } from '../../../certs/issue.ts'
import { eventually } from '../../../sandbox/eventually.ts'
import { CertificateFiles } from '../../../webhook/tls/certificate-files.ts'
import { diaryLog, VirtualTime } from '../../virtual-time.ts'
import { aPair, type Mounted, mounted } from '../pairs.ts'

const DAY_MS = 86_400_000
const POLL_MS = 10_000

describe('CertificateFiles', () => {
  let [one, other]: Issued[] = []
  let files: Mounted | undefined
  let [time, log] = [new VirtualTime(), diaryLog()]
  let served: string[] = []
  let unusable = 0
  let today = new Date()
  let certificate: CertificateFiles | undefined

  before('two pairs', async () => {
    ;[one, other] = await Promise.all([aPair(), aPair()])
  })
  beforeEach('the first is served', async () => {
    ;[time, log, served, unusable, today] = [new VirtualTime(), diaryLog(), [], 0, new Date()]
    files = await mounted(pair(one))
    certificate = new CertificateFiles({
      ...files,
      clock: () => today,
      timers: time,
      log,
      onUnusable: () => {
        unusable += 1
      },
    })
    certificate.watch(({ cert }) => served.push(cert))
  })
  afterEach('it goes', () => {
    certificate?.stop()
    files?.remove()
    expect(time.pending).to.equal(0)
  })

  const pair = (of: Issued | undefined): Issued => of ?? { ca: '', cert: '', key: '' }
  const words = () => log.lines.map(({ text, facts }) => [text, facts.finding ?? '-'].join(': '))

  it('serves the new certificate once, 250 ms after kubelet replaced the link', async () => {
    await files?.swap(pair(other))
    await eventually('the event of the directory', 20_000, () => expect(time.pending).to.equal(2)) // the poll is one
    expect(served).to.deep.equal([])
    await time.pass(250)
    expect(served).to.deep.equal([pair(other).cert])
    expect(certificate?.pair.key).to.equal(pair(other).key)
    await time.pass(3 * POLL_MS)
    expect(served).to.have.length(1)
    expect(words()).to.deep.equal(['info certificate replaced: -'])
  })

  it('finds the new certificate within 10 s without an event', async () => {
    await files?.swap(pair(other))
    await time.pass(POLL_MS)
    expect(served).to.deep.equal([pair(other).cert])
  })

  const broken: Record<string, readonly [write: (files: Mounted) => unknown, finding: RegExp]> = {
    'a mismatched': [
      (at) => at.swap({ cert: pair(other).cert, key: pair(one).key }),
      /^the key does not belong to the certificate$/,
    ],
    'an empty': [(at) => at.swap({ cert: '', key: '' }), /^the file contains no certificate$/],
    'a half-written': [
      (at) => at.write('tls.crt', pair(other).cert.slice(0, 400)),
      /^the file contains no certificate$/,
    ],
    'a vanished': [(at) => at.remove(), /^ENOENT: .*tls\.crt/],
  }
  for (const [what, [write, finding]] of Object.entries(broken))
    it(`keeps the old certificate for ${what} pair, logs that once and counts each check`, async () => {
      if (files) await write(files)
      await time.pass(4 * POLL_MS)
      expect(served).to.deep.equal([])
      expect(certificate?.pair.cert).to.equal(pair(one).cert)
      expect(log.lines).to.have.length(1)
      expect(log.lines[0]?.text).to.equal('warn certificate not replaced')
      expect(log.lines[0]?.facts.finding).to.match(finding)
      expect(unusable).to.be.at.least(4)
    })

  it('keeps the old certificate for an expired one, and is not ready when the old one expires', async () => {
    await files?.swap(await aPair({ leafDays: 1 }))
    today = new Date(Date.now() + 2 * DAY_MS)
    await time.pass(POLL_MS)
    expect(served).to.deep.equal([])
    expect(certificate?.finding).to.equal(undefined)
    today = new Date(Date.now() + 91 * DAY_MS)
    expect(certificate?.finding).to.match(/^expired at 20/)
  })

  it('serves a usable certificate after a broken one, and logs the next broken one again', async () => {
    files?.write('tls.key', '')
    await time.pass(POLL_MS)
    await files?.swap(pair(other))
    await time.pass(POLL_MS)
    files?.write('tls.key', '')
    await time.pass(POLL_MS)
    expect(words().map((line) => line.split(':')[0])).to.deep.equal([
      'warn certificate not replaced',
      'info certificate replaced',
      'warn certificate not replaced',
    ])
    expect(served).to.deep.equal([pair(other).cert])
  })

  it('throws at the start for files that cannot be served, with files and finding', () => {
    files?.write('tls.key', pair(other).key)
    const { certFile = '', keyFile = '' } = files ?? {}
    const options = { certFile, keyFile, clock: () => today, timers: time, log }
    expect(() => new CertificateFiles(options)).to.throw(
      `${certFile}, ${keyFile}: the key does not belong to the certificate`,
    )
    expect(() => new CertificateFiles({ ...options, certFile: '/nowhere/tls.crt' })).to.throw('/nowhere/tls.crt')
  })
})
