import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { authorizationOf, impersonation, isKnown } from '../../../../common/kube/config/identity.ts'
import { bareUser, type User } from '../../../../common/kube/config/kubeconfig.ts'

describe('the headers of a user', () => {
  const folder = mkdtempSync(join(tmpdir(), 'identity-'))
  after(() => rmSync(folder, { recursive: true }))
  const tokenFile = join(folder, 'token')
  writeFileSync(tokenFile, 'from a file\n')

  const cases: Record<string, readonly [Partial<User>, object]> = {
    'have a token': [{ token: 'mine\n' }, { Authorization: 'Bearer mine' }],
    'have the token of a file, without its line feed': [{ tokenFile }, { Authorization: 'Bearer from a file' }],
    'have the token of a file rather than another': [
      { token: 'a', tokenFile },
      { Authorization: 'Bearer from a file' },
    ],
    'have name and password': [{ username: 'me', password: 'ü' }, { Authorization: 'Basic bWU6w7w=' }],
    'have none for a certificate': [{ certData: 'a', keyData: 'b' }, {}],
  }
  for (const [sentence, [known, headers]] of Object.entries(cases))
    it(sentence, () => expect(authorizationOf(bareUser(known))).to.deep.equal(headers))

  it('impersonate', () => {
    expect(impersonation(bareUser({}))).to.deep.equal({})
    expect(impersonation(bareUser({ as: 'cart' }))).to.deep.equal({ 'Impersonate-User': 'cart' })
    const extra = { 'acme.com/project%': ['a', 'b'], scopes: ['view'] }
    expect(impersonation(bareUser({ as: 'cart', asUid: '7', asGroups: ['c', 'd'], asUserExtra: extra }))).to.deep.equal(
      {
        'Impersonate-User': 'cart',
        'Impersonate-Uid': '7',
        'Impersonate-Group': ['c', 'd'],
        'Impersonate-Extra-acme.com%2Fproject%25': ['a', 'b'],
        'Impersonate-Extra-scopes': ['view'],
      },
    )
  })

  it('make a credential plugin needless, as does a certificate', () => {
    for (const known of [{ token: 'a' }, { tokenFile }, { username: 'a' }, { certData: 'a' }, { certFile: 'a' }])
      expect(isKnown(bareUser(known))).to.equal(true)
    expect(isKnown(bareUser({ as: 'cart', authProvider: 'oidc' }))).to.equal(false)
  })
})
