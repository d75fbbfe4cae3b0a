import { expect } from 'chai'
import { normalizeImage } from '../../../common/api/image.ts'

const DIGEST = `sha256:${'0123456789abcdef'.repeat(4)}`

const HOST = `${'a'.repeat(49)}.`.repeat(5).concat('abc:65535')
const LONGEST = `${HOST}/${'a'.repeat(255)}:${'1'.repeat(128)}@sha512:${'a'.repeat(128)}`

const normal: Record<string, string | undefined> = {
  nginx: 'docker.io/library/nginx:latest',
  'nginx:1.27': 'docker.io/library/nginx:1.27',
  'library/nginx': 'docker.io/library/nginx:latest',
  'bitnami/redis': 'docker.io/bitnami/redis:latest',
  'docker.io/nginx': 'docker.io/library/nginx:latest',
  'index.docker.io/bitnami/redis:7': 'docker.io/bitnami/redis:7',
  'registry.example/cart:2': 'registry.example/cart:2',
  'registry.example:5000/cart': 'registry.example:5000/cart:latest',
  'localhost/cart': 'localhost/cart:latest',
  'localhost:5000/cart:1': 'localhost:5000/cart:1',
  'registry:5000/cart': 'registry:5000/cart:latest',
  'Registry/cart': 'Registry/cart:latest',
  '[::1]:5000/cart': '[::1]:5000/cart:latest',
  [`nginx@${DIGEST}`]: `docker.io/library/nginx@${DIGEST}`,
  [`registry.example:5000/a/b/cart:2@${DIGEST}`]: `registry.example:5000/a/b/cart:2@${DIGEST}`,
  '': undefined,
  'registry.example/': undefined,
  'a//b': undefined,
  '../cart': undefined,
  'registry.example/../cart': undefined,
  'nginx:': undefined,
  'nginx@': undefined,
  'nginx:1 2': undefined,
  'registry.example@evil.example/cart': undefined,
  'user:password@registry.example/cart': undefined,
  'https://registry.example/cart': undefined,
  'registry.example/Cart': undefined,
  'nginx\n': undefined,
  [`nginx@${DIGEST}@${DIGEST}`]: undefined,
  [LONGEST]: LONGEST,
  [`a${LONGEST}`]: undefined,
  [`registry.example/${'a'.repeat(255)}`]: `registry.example/${'a'.repeat(255)}:latest`,
  [`registry.example/${'a'.repeat(256)}`]: undefined,
  ['a'.repeat(64)]: undefined, // the identifier of an image
  ['a'.repeat(63)]: `docker.io/library/${'a'.repeat(63)}:latest`,
  [`nginx@${DIGEST.toUpperCase()}`]: undefined,
  [`nginx@${DIGEST.slice(0, -1)}`]: undefined,
  [`nginx@sha512:${'a'.repeat(128)}`]: `docker.io/library/nginx@sha512:${'a'.repeat(128)}`,
  [`nginx@md5:${'a'.repeat(64)}`]: undefined,
  é: undefined,
}

describe('normalizeImage', () => {
  for (const [image, full] of Object.entries(normal))
    it(`${JSON.stringify(image.slice(0, 60))} ${full === undefined ? 'is not a reference' : `becomes ${full}`}`, () =>
      expect(normalizeImage(image)).to.equal(full))

  it('does not change a reference that is written in full', () => {
    for (const full of Object.values(normal)) if (full) expect(normalizeImage(full)).to.equal(full)
  })
})
