import { randomBytes, type webcrypto } from 'node:crypto';
import { chmod, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import type { X509Certificate } from '@peculiar/x509';

/** What a certificate is issued for. */
export interface CertificateRequest {
  /** The common name: Kafka's user. */
  readonly name: string;
  /** Host names and addresses of a server certificate. */
  readonly hosts?: readonly string[];
  /** Whether it has just expired, after a day. */
  readonly hasExpired?: boolean;
}

/** Paths of a certificate and of its private key, both PEM. */
export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const LIFE_MS = 86_400_000;
/** A clock may be a little behind. */
const EARLIER_MS = 3_600_000;
const SERIAL_BYTES = 12;

/** Loaded only where certificates are created: it loads slowly, and needs the decorators' metadata. */
async function x509() {
  await import('reflect-metadata');
  return import('@peculiar/x509');
}

/** Issues certificates that are valid for a day, for tests of TLS; its own key stays in memory. */
export class Authority {
  private constructor(
    private readonly certificate: X509Certificate,
    private readonly keys: webcrypto.CryptoKeyPair,
  ) {}

  static async create(name: string): Promise<Authority> {
    const { BasicConstraintsExtension, KeyUsageFlags, KeyUsagesExtension, X509CertificateGenerator } =
      await x509();
    const keys = await newKeys();
    const certificate = await X509CertificateGenerator.createSelfSigned({
      ...validity(),
      name: `CN=${name}`,
      keys,
      signingAlgorithm: ALGORITHM,
      extensions: [
        new BasicConstraintsExtension(true, 0, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
      ],
    });
    return new Authority(certificate, keys);
  }

  /** Writes its certificate. */
  async writeTo(file: string): Promise<void> {
    await writeFile(file, `${this.certificate.toString('pem')}\n`);
  }

  /** Writes a certificate and its key into a folder, by its name; replaces existing files. */
  async issue(
    folder: string,
    { name, hosts = [], hasExpired = false }: CertificateRequest,
  ): Promise<CertificateFiles> {
    const {
      BasicConstraintsExtension,
      ExtendedKeyUsage,
      ExtendedKeyUsageExtension,
      KeyUsageFlags,
      KeyUsagesExtension,
      PemConverter,
      SubjectAlternativeNameExtension,
      X509CertificateGenerator,
    } = await x509();
    const keys = await newKeys();
    const certificate = await X509CertificateGenerator.create({
      ...validity(hasExpired ? LIFE_MS + EARLIER_MS : 0),
      subject: `CN=${name}`,
      issuer: this.certificate.subject,
      publicKey: keys.publicKey,
      signingKey: this.keys.privateKey,
      signingAlgorithm: ALGORITHM,
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.clientAuth]),
        ...(hosts.length === 0 ? [] : [new SubjectAlternativeNameExtension(hosts.map(alternativeName))]),
      ],
    });
    const key = await crypto.subtle.exportKey('pkcs8', keys.privateKey);
    const files = { certFile: join(folder, `${name}.crt`), keyFile: join(folder, `${name}.key`) };
    await writeFile(files.certFile, `${certificate.toString('pem')}\n`);
    await writeFile(files.keyFile, `${PemConverter.encode(key, 'PRIVATE KEY')}\n`, { mode: 0o600 });
    await chmod(files.keyFile, 0o600);
    return files;
  }
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

function validity(agoMs = 0) {
  const fromMs = Date.now() - EARLIER_MS - agoMs;
  return {
    serialNumber: `01${randomBytes(SERIAL_BYTES).toString('hex')}`,
    notBefore: new Date(fromMs),
    notAfter: new Date(fromMs + LIFE_MS),
  };
}

function alternativeName(host: string) {
  return { type: isIP(host) === 0 ? 'dns' : 'ip', value: host } as const;
}
