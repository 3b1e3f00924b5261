/** The types of this room's messages in a MessageStream: 0x10 to 0x1f belong to it. */
export const OT_MESSAGE = {
  publicKeys: 0x10,
  ephemeralKey: 0x11,
  extensionHeader: 0x12,
  extension: 0x13,
  hashKeys: 0x14,
  corrections: 0x15,
  maskedMessages: 0x16,
  extensionCheck: 0x17,
} as const;
