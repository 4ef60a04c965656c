"""What tests of the poser share: a client, a page in a browser, scripted sessions."""
